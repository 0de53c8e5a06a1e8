package assay

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const messagesFile = "docs/reference/messages.md"

// TestMessages keeps every sentence that a user may see in one file, so that a
// change of words is read as text and not only as code.
func TestMessages(t *testing.T) {
	made := messagesPage(t)
	if *update {
		if err := os.WriteFile(messagesFile, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(messagesFile)
	if err != nil || !bytes.Equal(kept, made) {
		t.Errorf("%s is out of date (%v): go test . -run TestMessages -update", messagesFile, err)
	}
}

// TestMessagesOf plants what counts as a message and what does not.
func TestMessagesOf(t *testing.T) {
	const source = "package p\nimport \"two words\"\n" +
		"type t struct { F int `json:\"f\" doc:\"a field of it\"` }\n" +
		"var a = \"one sentence \" + \"in two parts\"\n" +
		"var re = regexp.MustCompile(`not a sentence`)\n" +
		"var b, c = \"word\", \"got %d, want %s\"\n" +
		"var d = \"<b class=x>\"\n"
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := messagesOf(file), []string{"one sentence in two parts", "got %d, want %s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// silent are folders whose words no user of the program sees.
var silent = regexp.MustCompile(`^(tests|tools|operator/kubernetes|.*/(benchmark|screenshot|reporttest|simtest))(/|$)`)

func messagesPage(t *testing.T) []byte {
	t.Helper()
	byPackage := map[string][]string{}
	for _, s := range thisTree(t) {
		if !s.test && !ours.apart(s) && !silent.MatchString(s.dir) {
			byPackage[s.dir] = append(byPackage[s.dir], messagesOf(s.file)...)
		}
	}
	var page bytes.Buffer
	page.WriteString("# Messages\n\nEvery sentence in the code that a user may see, by package. Made by `go test . -run TestMessages -update`: read what a change of it says.\n")
	for _, dir := range slices.Sorted(maps.Keys(byPackage)) {
		list := byPackage[dir]
		slices.Sort(list)
		if list = slices.Compact(list); len(list) == 0 {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n", dir)
		for _, message := range list {
			fmt.Fprintf(&page, "- `%s`\n", strings.ReplaceAll(strings.ReplaceAll(message, "`", "'"), "\n", " ⏎ "))
		}
	}
	return page.Bytes()
}

// messagesOf are the texts of a file that read as words: at least two, with a space
// between them.
func messagesOf(file *ast.File) (list []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			if field, ok := n.(*ast.Field); !ok || field.Tag == nil {
				return ok
			}
			return false
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "MustCompile" {
				return false
			}
		case *ast.BinaryExpr, *ast.BasicLit:
			if text, ok := constant(n.(ast.Expr)); ok {
				if sentence.MatchString(text) && !markup.MatchString(text) {
					list = append(list, strings.TrimSpace(text))
				}
				return false
			}
		}
		return true
	})
	return list
}

var (
	sentence = regexp.MustCompile(`\pL{2,}[,;:.)]* +\S*\pL{2,}|\pL{2,} +%|%\S+ +\pL{2,}`)
	markup   = regexp.MustCompile(`^\s*[<{]|^SELECT |^#!`)
)

// constant is the text of a literal, or of several that are added up.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, ok := constant(e.X)
		right, ok2 := constant(e.Y)
		return left + right, ok && ok2
	}
	return "", false
}
