package foreign

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

var updateFigures = flag.Bool("update-figures", false, "write docs/reference/foreign.md")

// The reference page says of every tool what its figures mean and what its results
// do not tell, as read from the results in testdata.
func TestFiguresReference(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# Values of other tools

What ` + "`assay import`" + ` keeps of the results of each tool, and what it means where assay
uses the name for something else. A value with an id has assay's own definition
([metrics](metrics.md)); how imports are judged is in [method-imports.md](method-imports.md). Made from the results in foreign/testdata by
` + "`go test ./foreign -run TestFiguresReference -update-figures`" + `.
`)
	for _, tool := range streamed {
		fmt.Fprintf(&page, "\n## %s\n\nPass %s.\n\n| value | unit | means |\n| --- | --- | --- |\n", tool.Name, tool.Doc)
		figures, gaps := map[string]string{}, map[string]string{}
		for _, path := range samples(t, tool) {
			m, err := tool.Read([]string{path})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range m.Launches[0].Points[0].Reported {
				means := r.Definition
				if r.Metric != "" {
					means = "`" + r.Metric + "`"
				}
				if r.Wrong != "" {
					means += "; **not to be used**: " + r.Wrong
				}
				name := r.Name
				if found := servingStatistic.FindStringSubmatch(name); found != nil {
					name = "…_" + found[2] + "_ms"
				}
				figures[name] = fmt.Sprintf("| `%s` | %s | %s |\n", name, r.Unit, means)
			}
			for _, g := range m.Source.Unknown {
				gaps[g.ID] = fmt.Sprintf("- `%s`: %s\n", g.ID, g.Detail)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(figures)) {
			page.WriteString(figures[name])
		}
		page.WriteString("\nNot recorded, always or by some of its results:\n\n")
		for _, id := range slices.Sorted(maps.Keys(gaps)) {
			page.WriteString(gaps[id])
		}
	}
	const name = "../docs/reference/foreign.md"
	if *updateFigures {
		if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(page.Bytes(), want) {
		t.Errorf("%s is not what the code says (%v): write it with -update-figures", name, err)
	}
}
