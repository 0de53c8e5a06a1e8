package report

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// Generators is a table of the load generators of every launch: where they ran, how well
// their clocks are known, and what the load cost them. It is empty where the program sent
// the load itself.
func Generators(r Report) (head []string, rows [][]string) {
	if r.Bundle == nil {
		return nil, nil
	}
	head = []string{"launch", "generator", "host", "requests", "clock within", "CPU", "memory", "collections", "GC pause", "ended"}
	for _, info := range r.Bundle.Launches() {
		for g, err := range bundle.Rows[record.Generator](r.Bundle, info.Index, bundle.Generators) {
			if err != nil {
				break // the seal was checked; what cannot be read now is no reason to show nothing else
			}
			rows = append(rows, generatorRow(info.Index, g))
		}
	}
	return head, rows
}

func generatorRow(launch int, g record.Generator) []string {
	within, use := "–", "–"
	if g.Bound != nil {
		within = unit.Format(float64(*g.Bound)/1e9, unit.Second)
	}
	if g.Wall > 0 && g.Processors > 0 {
		share := g.CPU / g.Wall / float64(g.Processors)
		use = Percent(&share)
	}
	return []string{
		fmt.Sprint(launch + 1), fmt.Sprint(g.Generator), g.Host, fmt.Sprint(g.Requests), within, use,
		unit.Format(float64(g.Resident), unit.Byte), fmt.Sprint(g.Collections), unit.Format(g.LongestPause, unit.Second), g.Verdict,
	}
}

// writeGenerators shows the load generators, where there are any.
func writeGenerators(b *bytes.Buffer, r Report) {
	head, rows := Generators(r)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(b, "\nload generators")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  "+strings.Join(head, "\t"))
	for _, row := range rows {
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	t.Flush()
}
