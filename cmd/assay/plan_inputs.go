package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"assay/plan"
)

// writeInputs says what of the run's own files goes into its bundle.
func writeInputs(b *bytes.Buffer, p plan.Plan) {
	files := p.InputFiles()
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "\ninputs, and what of them goes into the bundle\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	packs := p.Packs()
	for _, f := range files {
		how := "its digest"
		switch {
		case f.Kind == plan.InputProgram:
		case f.Kind == plan.InputCode && (packs.Code == nil || *packs.Code):
			how = "its digest, and its content where it is short and holds no secret (spec.provenance.inputs.code)"
		case f.Kind != plan.InputCode && packs.Data:
			how = "its digest and its content (spec.provenance.inputs.data)"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", f.Kind, f.Path, f.Field, how)
	}
	t.Flush()
}
