package exam

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

// A jinja is a template as lm-eval's tasks have them. It can read the row and nothing else:
// no file and no other template.
type jinja struct {
	text     string
	template *exec.Template
	values   *jinja // the same as JSON, where it is one expression
}

// jinjaEnvironment is Jinja's own, with what Python's lists have and the library's have not.
var jinjaEnvironment = &exec.Environment{
	Filters: builtins.Filters, Tests: builtins.Tests, ControlStructures: builtins.ControlStructures,
	Context: exec.EmptyContext().Update(builtins.GlobalFunctions).Update(builtins.GlobalVariables),
	Methods: exec.Methods{
		Bool: builtins.Methods.Bool, Int: builtins.Methods.Int, Float: builtins.Methods.Float, Str: textMethods(), Dict: builtins.Methods.Dict,
		List: exec.NewMethodSet(map[string]exec.Method[[]any]{"index": listIndex}),
	},
}

// textMethods are the library's, with those that trim written anew: one of the library's
// fails without an argument.
func textMethods() *exec.MethodSet[string] {
	methods := map[string]exec.Method[string]{
		"strip":  trimming(strings.TrimSpace, strings.Trim),
		"lstrip": trimming(func(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }, strings.TrimLeft),
		"rstrip": trimming(func(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }, strings.TrimRight),
	}
	for _, name := range []string{
		"capitalize", "casefold", "center", "count", "endswith", "find", "format", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric",
		"isspace", "istitle", "isupper", "join", "ljust", "lower", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition",
		"rsplit", "split", "splitlines", "startswith", "swapcase", "title", "upper", "zfill",
	} {
		if method, ok := builtins.Methods.Str.Get(name); ok {
			methods[name] = method
		}
	}
	return exec.NewMethodSet(methods)
}

// trimming takes away white space, or the characters that are given.
func trimming(space func(string) string, cut func(text, characters string) string) exec.Method[string] {
	return func(text string, _ *exec.Value, arguments *exec.VarArgs) (any, error) {
		if len(arguments.Args) == 0 {
			return space(text), nil
		}
		return cut(text, arguments.Args[0].String()), nil
	}
}

// listIndex is where a value stands in a list.
func listIndex(list []any, _ *exec.Value, arguments *exec.VarArgs) (any, error) {
	var wanted any
	if err := arguments.Take(exec.PositionalArgument("value", nil, exec.AnyArgument(&wanted))); err != nil {
		return nil, exec.ErrInvalidCall(err)
	}
	for i, value := range list {
		if fmt.Sprint(value) == fmt.Sprint(wanted) {
			return i, nil
		}
	}
	return nil, fmt.Errorf("%v is not in the list", wanted)
}

// newJinja reads a template. As in lm-eval a name that the row does not have is an error, and
// a line break at the end stays.
func newJinja(text string) (j *jinja, err error) {
	defer caught(&err)
	for _, word := range []string{"include", "import", "extends", "from"} {
		if strings.Contains(text, "{% "+word) || strings.Contains(text, "{%- "+word) {
			return nil, fmt.Errorf("template %.60q: %s is not supported", text, word)
		}
	}
	cfg := config.New()
	cfg.StrictUndefined, cfg.KeepTrailingNewline = true, true
	loader, err := loaders.NewMemoryLoader(map[string]string{"/template": text})
	if err != nil {
		return nil, err
	}
	template, err := exec.NewTemplate("/template", cfg, loader, jinjaEnvironment)
	if err != nil {
		return nil, fmt.Errorf("template %.60q: %w", text, err)
	}
	j = &jinja{text: text, template: template}
	if one := expression.FindStringSubmatch(text); one != nil && !strings.Contains(one[1], "|tojson") {
		j.values, err = newJinja("{{(" + one[1] + ")|tojson}}")
	}
	return j, err
}

// render fills in a row.
func (j *jinja) render(row map[string]any) (text string, err error) {
	defer caught(&err)
	text, err = j.template.ExecuteToString(exec.NewContext(row))
	if err != nil {
		err = fmt.Errorf("template %.60q: %w", j.text, err)
	}
	return text, err
}

// list fills in a row where a list is wanted: of a template that is one expression by its
// value, of any other by what Python would read in its text.
func (j *jinja) list(row map[string]any) (list []string, err error) {
	if j.values == nil {
		text, err := j.render(row)
		if err != nil {
			return nil, err
		}
		return pythonStrings(text)
	}
	text, err := j.values.render(row)
	if err != nil {
		return nil, err
	}
	var values []any
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("template %.60q gives no list: %w", j.text, err)
	}
	return textsOf(values), nil
}

// expression is a template that is one expression.
var expression = regexp.MustCompile(`^\s*\{\{([^{}]*)\}\}\s*$`)

// caught makes an error of a panic: the library has some for templates that cannot be
// evaluated.
func caught(err *error) {
	if reason := recover(); reason != nil {
		*err = errors.New(fmt.Sprint("a template cannot be evaluated: ", reason))
	}
}
