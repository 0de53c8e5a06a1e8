package bench

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the guide anew")

const guide = "../../../docs/guides/bench.md"

// The guide's tables are those of this package.
func TestGuide(t *testing.T) {
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	want := replaceTable(t, replaceTable(t, page, "backends", backendTable()), "options", optionTable())
	if *update {
		if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Errorf("%s is not what the tables give: go test ./cmd/assay/bench -run TestGuide -update", guide)
	}
}

// replaceTable puts a table between the marks of its name.
func replaceTable(t *testing.T, page, name, table string) string {
	t.Helper()
	begin, end := "<!-- table of "+name+" -->\n", "<!-- end of "+name+" -->\n"
	head, rest, ok1 := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no marks of the table of %s", guide, name)
	}
	return head + begin + "\n" + table + "\n" + end + tail
}

func backendTable() string {
	var b strings.Builder
	b.WriteString("| backend | asked for a task by `target.api` | credentials |\n| --- | --- | --- |\n")
	for _, backend := range Backends {
		if backend.Missing != "" {
			fmt.Fprintf(&b, "| `%s` | refused: %s | |\n", backend.Name, backend.Missing)
			continue
		}
		var apis []string
		for _, task := range backend.APIs {
			apis = append(apis, task.Task+" `"+task.API+"`")
		}
		credentials := "`" + backend.Auth + "`"
		for _, key := range backend.Keys {
			credentials += ", `" + key + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", backend.Name, strings.Join(apis, ", "), credentials)
	}
	return b.String()
}

func optionTable() string {
	var b strings.Builder
	group := ""
	for _, o := range Options {
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "%s**%s**\n\n| option | says | becomes |\n| --- | --- | --- |\n", separator(b.Len()), group)
		}
		name := "`--" + o.Name + "`"
		if o.Kind == List {
			name += ", repeated"
		}
		if o.Env != "" {
			name += " (`" + o.Env + "`)"
		}
		becomes := o.Becomes
		switch o.Fate {
		case Noted:
			becomes = "nothing: " + becomes
		case Refused:
			becomes = "refused: " + becomes
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, o.Doc, becomes)
	}
	return b.String()
}

func separator(written int) string {
	if written == 0 {
		return ""
	}
	return "\n"
}
