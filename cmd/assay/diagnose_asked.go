package main

import (
	"bytes"
	"fmt"
	"strings"

	"assay/analysis/playbook"
)

// printInstruments shows what the document asks a diagnosis for: the parts of the time and
// the probes of each class.
func printInstruments(out *bytes.Buffer, d diagnosis) {
	shares := map[string][]string{}
	var points []string
	for _, o := range d.Overheads {
		if shares[o.Point] == nil {
			points = append(points, o.Point)
		}
		text := o.Part + " not measured"
		if o.Share != nil {
			text = fmt.Sprintf("%s %.1f %%", o.Part, 100**o.Share)
		}
		shares[o.Point] = append(shares[o.Point], text)
	}
	for i, point := range points {
		if i == 0 {
			fmt.Fprintln(out, "\nwhere the time goes (bottleneckAnalysis.decomposeOverheads)")
		}
		fmt.Fprintf(out, "  %s: %s\n", point, strings.Join(shares[point], ", "))
	}
	if len(d.Limits) == 0 {
		return // nothing was limited by anything: --json has the probes all the same
	}
	if len(d.Instruments) > 0 {
		fmt.Fprintln(out, "\nprobes of each class (bottleneckAnalysis.instrumentation)")
	}
	for _, one := range d.Instruments {
		state := "read"
		if one.Reply == playbook.Missing {
			state = "missing"
		}
		fmt.Fprintf(out, "  %-20s %-20s %-7s  %s\n", one.Class, one.Probe, state, one.Found)
	}
}
