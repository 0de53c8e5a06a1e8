package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"assay/intake"
	"assay/spec"

	"github.com/spf13/cobra"
)

// A validation is the answer about one file.
type validation struct {
	File     string        `json:"file"`
	Valid    bool          `json:"valid"`
	Kind     string        `json:"kind,omitempty"`
	Faults   []spec.Fault  `json:"faults"`
	Warnings []spec.Fault  `json:"warnings"`
	Summary  *spec.Summary `json:"summary,omitempty"`
	Unacted  *spec.Unacted `json:"unacted,omitempty"` // what the document states and no run acts on
}

func validateCommand(env Env) *cobra.Command {
	var asJSON, rules bool
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check spec files",
		Long: "Check BenchmarkRun, BenchmarkSchedule, WorkloadSpec, GatePolicy and PerformanceIntake documents in YAML or JSON. Every fault of every file is reported,\n" +
			"with its line and column. Exit code 0: all valid; 2: a file is invalid or cannot be read.\nThe file - is standard input.",
		RunE: func(_ *cobra.Command, files []string) error {
			if rules {
				return printRules(env.Stdout, asJSON)
			}
			if len(files) == 0 {
				return usageError(errors.New("validate: got no file, want at least one (or --rules)"))
			}
			return validateFiles(env, files, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	cmd.Flags().BoolVar(&rules, "rules", false, "print the rules instead")
	return cmd
}

func validateFiles(env Env, files []string, asJSON bool) error {
	results := []validation{}
	valid := true
	for _, file := range files {
		v := validateFile(env, file)
		valid = valid && v.Valid
		results = append(results, v)
	}
	if err := printValidations(env, results, asJSON); err != nil {
		return err
	}
	if !valid {
		return silent(exitUsage)
	}
	return nil
}

func validateFile(env Env, file string) validation {
	v := validation{File: file, Faults: []spec.Fault{}, Warnings: []spec.Fault{}}
	data, err := readDocument(env, file)
	if err != nil {
		v.Faults = append(v.Faults, unreadable(file, err))
		return v
	}
	doc, faults := spec.Parse(file, data)
	if doc != nil {
		v.Kind = doc.Kind
		faults = append(faults, unresolved(doc)...)
		spec.SortFaults(faults)
	}
	for _, f := range faults {
		if f.Severity == spec.SeverityWarning {
			v.Warnings = append(v.Warnings, f)
		} else {
			v.Faults = append(v.Faults, f)
		}
	}
	v.Valid = len(v.Faults) == 0
	if v.Valid {
		unacted := doc.Unacted()
		v.Unacted = &unacted
	}
	if v.Valid && doc.Run != nil {
		summary, err := spec.Summarise(*doc.Run)
		if err == nil { // a valid document has a digest
			v.Summary = &summary
		}
	}
	return v
}

// unreadable is the fault of a document that could not be opened.
func unreadable(file string, err error) spec.Fault {
	got, want := err.Error(), "a readable file"
	var refused *intake.Error
	if errors.As(err, &refused) && refused.Err == nil {
		got, want = "a file that "+refused.Got, refused.Want
	}
	return spec.Fault{
		File: file, Line: 1, Column: 1, Path: "document", Got: got, Want: want,
		Rule: "A21", Message: "want " + want, Severity: spec.SeverityError,
	}
}

func readDocument(env Env, file string) ([]byte, error) {
	if file == "-" {
		return intake.ReadAll("standard input", env.Stdin, spec.MaxDocumentBytes)
	}
	return intake.ReadFile(file, spec.MaxDocumentBytes)
}

// unresolved looks for the artifacts a document names as local paths, from the
// directory of the document.
func unresolved(doc *spec.Document) []spec.Fault {
	var faults []spec.Fault
	for _, ref := range doc.LocalArtifacts() {
		path := ref.Ref
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(doc.File), path)
		}
		if _, err := os.Stat(path); err != nil {
			faults = append(faults, ref.Missing())
		}
	}
	return faults
}

func printValidations(env Env, results []validation, asJSON bool) error {
	if asJSON {
		return printJSON(env.Stdout, results)
	}
	for _, v := range results {
		for _, f := range append(v.Faults, v.Warnings...) {
			fmt.Fprintln(env.Stdout, f.Error())
		}
		if !v.Valid {
			fmt.Fprintf(env.Stdout, "%s: invalid, %s\n", v.File, counted(len(v.Faults), "fault"))
			continue
		}
		fmt.Fprintf(env.Stdout, "%s: valid %s", v.File, v.Kind)
		if v.Summary != nil {
			fmt.Fprintf(env.Stdout, " %s (%s, %s, %s)", v.Summary.Name, v.Summary.BenchmarkClass, v.Summary.WorkloadType, v.Summary.WorkloadDigest)
		}
		if len(v.Warnings) > 0 {
			fmt.Fprintf(env.Stdout, ", %s", counted(len(v.Warnings), "warning"))
		}
		fmt.Fprintln(env.Stdout)
		printUnacted(env.Stdout, *v.Unacted)
	}
	return nil
}

// printUnacted says what a document states that no run does anything about.
func printUnacted(w io.Writer, u spec.Unacted) {
	for _, kind := range []struct {
		what  string
		paths []string
	}{{"recorded, not acted on", u.Recorded}, {"assay run refuses", u.Refused}} {
		if len(kind.paths) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", kind.what, strings.Join(kind.paths, ", "))
		}
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func printRules(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, spec.Rules)
	}
	for _, r := range spec.Rules {
		if _, err := fmt.Fprintf(w, "%-4s %-60s %s\n", r.ID, r.Path, r.Doc); err != nil {
			return err
		}
	}
	return nil
}
