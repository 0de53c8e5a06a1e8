package lint

import (
	"fmt"

	"assay/analysis/nodes"
	"assay/finding"
)

// NodeDiffers fires when hosts of one run are not alike.
var NodeDiffers = Check{
	ID: "node-differs", Severity: finding.Caution,
	Doc: "Hosts of one run differ in what should be the same on all of them.",
	When: "two hosts of the run have other processors, memory, accelerators, links, drivers, kernels, limits, settings of " +
		"libraries or container images than the others. A caution, which names hosts and values",
	Applies: severalNodes,
	Run:     nodeDiffers,
}

// severalNodes says that ranks, load generators or probes ran on several other hosts.
func severalNodes(f *Facts) bool { return len(f.Manifest.Nodes) > 1 }

func nodeDiffers(f *Facts) Answer {
	captured := 0
	for _, n := range f.Manifest.Nodes {
		if len(n.Environment) > 0 {
			captured++
		}
	}
	if captured < 2 {
		return missing("the facts of its hosts (manifest.nodes)")
	}
	var evidence []string
	for _, d := range nodes.Differences(f.Manifest.Nodes) {
		evidence = append(evidence, d.Text())
	}
	if len(evidence) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%d facts differ between the %d hosts of the run: %s", len(evidence), len(f.Manifest.Nodes), summary(evidence)),
		Why:      "a result of unlike hosts is that of the slowest kind among them, and another set of hosts has another",
		Fix:      "use hosts of one kind and one set-up, or measure each kind by itself",
		Evidence: evidence,
	})
}
