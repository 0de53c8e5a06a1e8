package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"assay/spec"
)

// Every flag of train and comm fills its field, and help says what the field may be.
func TestFieldFlags(t *testing.T) {
	samples := map[string]string{"string": "x", "bool": "true", "int": "3", "count": "10M", "float": "1.5", "ints": "2,4", "strings": "a,b", "size": "4MiB", "duration": "5ms"}
	for _, table := range [][]fieldFlag{trainFields, commFields, launchFields("train"), launchFields("collectives")} {
		var fields fieldFlags
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		fields.register(flags, table)
		for _, row := range table {
			flag := flags.Lookup(row.name)
			if samples[flag.Value.Type()] == "" {
				t.Fatalf("--%s: help has no name for the type of spec.%s", row.name, row.path)
			}
			if err := flags.Set(row.name, samples[flag.Value.Type()]); err != nil {
				t.Errorf("--%s: %v", row.name, err)
			}
			got := reflect.ValueOf(fields.spec)
			for _, name := range strings.Split(row.path, ".") {
				own, _ := fieldNamed(reflect.Indirect(got).Type(), name)
				got = reflect.Indirect(got).FieldByIndex(own.Index)
			}
			if got.IsZero() {
				t.Errorf("--%s leaves spec.%s empty", row.name, row.path)
			}
			field, _ := fieldAt(reflect.TypeOf(fields.spec), row.path)
			for _, word := range spec.Vocabularies[field.Tag.Get("enum")] {
				if row.name != "precision" && !strings.Contains(flag.Usage, word) {
					t.Errorf("help of --%s does not say %s: %s", row.name, word, flag.Usage)
				}
			}
		}
	}
}

// A list replaces its default and grows when it is given again; a fault names the
// flag; nothing is not taken for the default.
func TestFieldFlagValues(t *testing.T) {
	stdout, stderr, code := call(t, "train", "--print-spec", "--ranks", "2", "--ranks", "4", "--hang-timeout", "9s")
	if code != exitOK || !strings.Contains(stdout, "ranks: [2, 4]") || !strings.Contains(stdout, "hangTimeout: 9s") {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
	for _, tt := range []struct {
		args string
		want string
	}{
		{"train --optimizer foo --scaling foo", "--optimizer: got \"foo\", want one of adamw, sgd"},
		{"train --optimizer foo --scaling foo", "--scaling: got \"foo\""},
		{"train --steps 0", "--steps"},
		{"train --bucket 25", "--bucket"},
		{"train --params ten", "want a count such as 100M or 1G"},
		{"train --launches 2 --ranks x", "want whole numbers"},
		{"comm --ranks 0", "--ranks: got 0"},
		{"comm --launches 1", "--launches: got 1"},
	} {
		_, stderr, code := call(t, slices.Insert(strings.Fields(tt.args), 1, "--print-spec")...)
		if code != exitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %q; want %q", tt.args, code, stderr, tt.want)
		}
	}
}

// The names that other harnesses have for flags of ours work too.
func TestFamiliarNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ verb, want string }{{"train", "steps: 7"}, {"comm", "iterations: 7"}} {
		stdout, stderr, code := call(t, tt.verb, "--iters", "7", "--output-dir", t.TempDir(), "--print-spec")
		if code != exitOK || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit %d, want %q:\n%s%s", tt.verb, code, tt.want, stdout, stderr)
		}
	}
}
