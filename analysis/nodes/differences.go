package nodes

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/analysis/diff"
	"assay/bundle"
)

// A Difference is a fact that is not the same on every host.
type Difference struct {
	Fact   string
	Common string            // as most hosts have it; empty where no value has most of them
	Odd    map[string]string // by host: the hosts that have another value, or all where none is common
	rule   rule
}

// A rule says which facts hosts of one run share, and the parts that they slow down.
type rule struct {
	facts     *regexp.Regexp
	resources []string
}

// rules lists the facts that hosts should have in common. Names, serial numbers, readings
// that change by the second and settings of single ranks are not among them.
var rules = []rule{
	{regexp.MustCompile(`^cpu\.(model|sockets|cores|threads|online|smt|governor|mhz_max|turbo|microcode)$`), []string{Processor, Memory}},
	{regexp.MustCompile(`^cgroup\.(cpu_limit_cores|cpuset)$`), []string{Processor}},
	{regexp.MustCompile(`^cgroup\.memory_limit_bytes$`), []string{Memory, Disk}},
	{regexp.MustCompile(`^memory\.(total_bytes|thp|thp_defrag)$`), []string{Memory}},
	{regexp.MustCompile(`^numa\.(nodes|\d+\.(cpus|distance))$`), []string{Processor, Memory}},
	{regexp.MustCompile(`^sysctl\.(kernel\.numa_balancing|vm\.swappiness)$`), []string{Memory}},
	{regexp.MustCompile(`^(kernel\.(release|command_line)|os\.(name|version))$`), []string{Processor, Memory, Disk, Network}},
	{regexp.MustCompile(`^virtual\.(product|hypervisor)$`), []string{Processor, Memory, Disk, Network}},
	{regexp.MustCompile(`^(host\.(bios_version|board)|clock\.source)$`), []string{Processor}},
	{regexp.MustCompile(`^(software|python)\.`), []string{Accelerator}},
	{regexp.MustCompile(`^gpu\.(count|driver|cuda_driver|\d+\.(model|mig|pcie_width|pcie_generation_max|power_limit_watts|clock_\w+_(max|application)_mhz|ecc|persistence))$`), []string{Accelerator}},
	{regexp.MustCompile(`^pci\.[^ ]+\.(link_width|link_speed_max)$`), []string{Accelerator, Network}},
	{regexp.MustCompile(`^net\.[^.]+\.(speed_mbps|mtu|state|driver)$`), []string{Network}},
	{regexp.MustCompile(`^rdma\.(devices|[^.]+\.(firmware|port\d+\.(rate|state|physical_state|link_layer)))$`), []string{Network}},
	{regexp.MustCompile(`^sysctl\.net\.`), []string{Network}},
	{regexp.MustCompile(`^block\.[^.]+\.(model|scheduler|rotational)$`), []string{Disk}},
	{regexp.MustCompile(`^env\.(NCCL|CUDA|CUBLAS|CUDNN|OMP|MKL|KMP|TORCH|UCX|FI|GLOO|RCCL|HSA)_`), []string{Accelerator, Network, Processor}},
	{regexp.MustCompile(`^container\.image_digest$`), []string{Accelerator}},
}

// perRank are variables that are meant to differ from rank to rank.
var perRank = regexp.MustCompile(`^env\.(CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES|OMP_PLACES)$`)

// Differences lists the facts that hosts should have in common and have not, by name. A
// host that could not read a fact that others have is one of the odd ones.
func Differences(hosts []bundle.Node) (list []Difference) {
	var names []string
	for _, h := range hosts {
		// Wires of pods, which have names of their own on every host, are left out there too.
		for name, fact := range diff.Lasting(h.Environment) {
			if fact.Unavailable == "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.facts.MatchString(name) })
		if i < 0 || perRank.MatchString(name) {
			continue
		}
		if d := difference(name, hosts); len(d.Odd) > 0 {
			d.rule = rules[i]
			list = append(list, d)
		}
	}
	return list
}

// absent is what a host says that does not have a fact.
const absent = "not there"

func difference(name string, hosts []bundle.Node) Difference {
	d := Difference{Fact: name, Odd: map[string]string{}}
	values, counts := map[string]string{}, map[string]int{}
	for _, h := range hosts {
		if len(h.Environment) == 0 {
			continue // it was not captured
		}
		text := absent
		if fact, ok := h.Environment[name]; ok && fact.Unavailable == "" {
			text = spell(fact.Value)
		}
		values[h.Name] = text
		counts[text]++
	}
	if len(counts) < 2 {
		return d
	}
	for text, n := range counts {
		if 2*n > len(values) {
			d.Common = text
		}
	}
	for host, text := range values {
		if text != d.Common {
			d.Odd[host] = text
		}
	}
	return d
}

// spell is a value as text, however it was read.
func spell(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// belongs says that the fact can slow a part of a host down.
func (d Difference) belongs(resource string) bool { return slices.Contains(d.rule.resources, resource) }

// of says what is different about a host; false where nothing is.
func (d Difference) of(host string) (string, bool) {
	value, odd := d.Odd[host]
	if !odd {
		return "", false
	}
	if d.Common == "" {
		return fmt.Sprintf("%s is %s there, and no two others agree", d.Fact, value), true
	}
	return fmt.Sprintf("%s is %s there and %s on the others", d.Fact, value, d.Common), true
}

// Text names the hosts and their values.
func (d Difference) Text() string {
	var parts []string
	for host, value := range d.Odd {
		parts = append(parts, fmt.Sprintf("%s on %s", value, host))
	}
	slices.Sort(parts)
	text := d.Fact + ": " + strings.Join(parts, ", ")
	if d.Common != "" {
		text += ", and " + d.Common + " on the others"
	}
	return text
}
