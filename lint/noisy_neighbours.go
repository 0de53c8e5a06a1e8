package lint

import (
	"fmt"

	"assay/finding"
)

// NoisyNeighbours fires when a run that asks for a machine of its own shared it.
var NoisyNeighbours = Check{
	ID: "noisy-neighbours", Code: "P-16", Severity: finding.Caution,
	Doc:  "Others used the machine while a publication-grade run was measured.",
	When: "publication only: CPU pressure above 5 % or steal above 1 %",
	// A realism run shares by declaration; what a busy host does to the client is
	// said by client-limit.
	Applies: publication,
	Run:     noisyNeighbours,
}

func noisyNeighbours(f *Facts) Answer {
	var busy []string
	known := false
	for _, h := range f.Client.Launches {
		known = known || h.CPUPressure != nil || h.Steal != nil
		for _, l := range []struct {
			value *float64
			most  float64
			what  string
		}{
			{h.CPUPressure, limitPressure, "CPU contention (PSI)"},
			{h.Steal, limitSteal, "steal"},
		} {
			if l.value != nil && *l.value > l.most {
				busy = append(busy, fmt.Sprintf("launch %d: %s %.1f %% (limit %.3g %%)", h.Launch+1, l.what, 100*min(1, *l.value), 100*l.most))
			}
		}
	}
	if !known {
		return missing("samples of the host's pressure and steal")
	}
	if len(busy) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  "the host was shared while it was measured: " + summary(busy),
		Why:      "what neighbours take is missing from the system under test",
		Fix:      "use nodes of its own, and spread client and target over processors that are idle",
		Evidence: busy,
	})
}
