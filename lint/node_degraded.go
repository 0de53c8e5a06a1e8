package lint

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/finding"
	"assay/record"
)

// NodeDegraded fires when a host of the run says that something about it is broken.
var NodeDegraded = Check{
	ID: "node-degraded", Severity: finding.Caution,
	Doc: "A host of the run has a part that does not do what it could.",
	When: "before the run, a host had a card with fewer PCIe lanes than the card has, an NVLink that was down or had counted " +
		"errors, uncorrected memory errors, an accelerator whose clocks were held down by heat or power, or an RDMA port " +
		"without a way out. A caution for each host",
	Applies: func(f *Facts) bool { return len(f.Manifest.Nodes) > 0 },
	Run:     nodeDegraded,
}

// A symptom is a fact that says that something is broken.
type symptom struct {
	fact *regexp.Regexp
	of   func(env record.Environment, name string) string // what is broken; empty where nothing is
}

var symptoms = []symptom{
	{regexp.MustCompile(`^(pci\.[^ ]+\.link_width|gpu\.\d+\.pcie_width)$`), fewLanes},
	{regexp.MustCompile(`^gpu\.\d+\.nvlinks$`), deadLinks},
	{regexp.MustCompile(`^gpu\.\d+\.(nvlink_errors|ecc_uncorrected_volatile)$`), counted},
	{regexp.MustCompile(`^rdma\.[^.]+\.port\d+\.(symbol_errors|link_downed|receive_errors)$`), counted},
	{regexp.MustCompile(`^rdma\.[^.]+\.port\d+\.path$`), noPath},
	{regexp.MustCompile(`^gpu\.\d+\.throttle_reasons$`), heldDown},
}

func nodeDegraded(f *Facts) Answer {
	var list []finding.Finding
	for _, n := range f.Manifest.Nodes {
		if len(n.Environment) == 0 {
			return missing("the facts of host " + n.Name)
		}
		var broken []string
		for name, fact := range n.Environment {
			for _, s := range symptoms {
				if fact.Unavailable != "" || !s.fact.MatchString(name) {
					continue
				}
				if text := s.of(n.Environment, name); text != "" {
					broken = append(broken, text)
				}
			}
		}
		if len(broken) == 0 {
			continue
		}
		slices.Sort(broken)
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("host %s: %s", n.Name, summary(broken)),
			Why:      "a part that is hurt slows down every rank that waits for it",
			Fix:      "repair it, or leave the host out: assay cordon " + n.Name,
			Evidence: broken,
		})
	}
	return found(list...)
}

func fewLanes(env record.Environment, name string) string {
	now, known := nodeNumber(env, name)
	most, stated := nodeNumber(env, name+"_max")
	if !known || !stated || now <= 0 || now >= most || most > 32 {
		return ""
	}
	return fmt.Sprintf("%s is %g of %g", name, now, most)
}

// deadLinks are NVLinks that are down on a device that has others: one without any is
// built so.
func deadLinks(env record.Environment, name string) string {
	var dead []string
	links := nodeTexts(env, name)
	for _, link := range links {
		if strings.HasSuffix(link, " inactive") {
			dead = append(dead, strings.TrimSuffix(link, " inactive"))
		}
	}
	if len(dead) == 0 || len(dead) == len(links) {
		return ""
	}
	return fmt.Sprintf("%s: %s of %d are inactive", name, strings.Join(dead, ", "), len(links))
}

func counted(env record.Environment, name string) string {
	if n, known := nodeNumber(env, name); known && n > 0 {
		return fmt.Sprintf("%s is %g", name, n)
	}
	return ""
}

func noPath(env record.Environment, name string) string {
	if text, ok := env[name].Value.(string); ok && text != "ok" {
		return name + ": " + text
	}
	return ""
}

// harmless are reasons for lower clocks that are no fault: nothing to do, or somebody's
// settings.
var harmless = []string{"gpu_idle", "applications_clocks_setting", "sync_boost", "display_clocks_setting", "none"}

func heldDown(env record.Environment, name string) string {
	reasons := slices.DeleteFunc(nodeTexts(env, name), func(r string) bool { return r == "" || slices.Contains(harmless, r) })
	if len(reasons) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", name, strings.Join(reasons, ", "))
}

// nodeNumber is a fact that is a number, fresh or read from a file.
func nodeNumber(env record.Environment, name string) (v float64, ok bool) {
	fact, known := env[name]
	if !known || fact.Unavailable != "" {
		return 0, false
	}
	data, err := json.Marshal(fact.Value)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err == nil
}

func nodeTexts(env record.Environment, name string) (list []string) {
	data, err := json.Marshal(env[name].Value)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}
