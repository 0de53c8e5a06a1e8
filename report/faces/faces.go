// Package faces lists the forms in which a report is shown. It exists because report
// cannot import the packages that draw it.
package faces

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"assay/report"
	"assay/report/page"
	"assay/report/workbook"
)

// A Face is a format by the name used on the command line.
type Face struct {
	Name   string
	File   string // what it is called inside a bundle
	Format report.Format
}

// All lists every face that a run is given when it is sealed.
var All = []Face{
	{"text", "report.txt", report.Text},
	{"json", "report.json", report.JSON},
	{"md", "report.md", report.Markdown},
	{"html", "report.html", page.HTML},
	{"xlsx", "report.xlsx", workbook.XLSX},
	{"csv", "report.csv", report.CSV},
	{"junit", "junit.xml", report.JUnit},
}

// OnRequest lists the faces that are made for whoever asks: shapes that others
// have given theirs.
var OnRequest = []Face{
	{"mlperf", "mlperf_log_summary.txt", report.MLPerfSummary},
	{"results", "results.json", report.Results},
	{"nccl", "nccl.txt", report.NCCL},
}

// Binary reports whether a terminal cannot show the face.
func (f Face) Binary() bool {
	switch path.Ext(f.File) {
	case ".txt", ".json", ".md", ".csv", ".xml", ".html", ".svg":
		return false
	}
	return true
}

// Find returns the face called name.
func Find(name string) (Face, error) {
	var names []string
	for _, f := range slices.Concat(All, OnRequest) {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Face{}, fmt.Errorf("--format %q: want one of %s", name, strings.Join(names, ", "))
}
