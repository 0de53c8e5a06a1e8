package hardware

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// The limits of the findings.
const (
	// Replicates of a quiet host differ by one to three per cent; one that differs by
	// more than a tenth was disturbed, or has two speeds.
	wideSpread = .10

	// The last third of the replicates against the first: what a processor loses that
	// runs hot or has used up its credit.
	slowing = .90

	// A thread more is worth at least half of the first, where it has a core of its
	// own.
	poorThreads = .5

	// TCP reaches nine tenths of a link that carries nothing else.
	poorLink = .6

	// Segments sent again, of all: a thousandth is more than a healthy network loses.
	lossy = .001

	// A packed product reaches nine tenths of what the units can do; half is a fault.
	poorProduct = .5
)

// findings looks at what the rows say of the machine and of themselves.
func findings(r Report, all []*series, hosts []bundle.Node) (list []finding.Finding) {
	for _, s := range all {
		list = append(list, wrongAnswers(s)...)
		list = append(list, resent(s)...)
	}
	list = append(list, unsteady(all)...)
	list = append(list, threads(all)...)
	list = append(list, product(all)...)
	list = append(list, links(all, r.Network)...)
	for _, h := range hosts {
		list = append(list, narrow(h.Name, h.Environment)...)
	}
	list = append(list, stragglers(r.Devices)...)
	return append(list, dropped(r.Network)...)
}

func (s *series) label() string {
	text := s.Probe + " " + s.Variant
	if s.host != "" {
		text = s.host + ": " + text
	}
	if s.Threads > 1 {
		text += fmt.Sprintf(", %d threads", s.Threads)
	}
	if s.Scope != "" {
		text += " (" + s.Scope + ")"
	}
	return text
}

func wrongAnswers(s *series) []finding.Finding {
	if s.wrong == 0 {
		return nil
	}
	return []finding.Finding{{
		Check: "H01", Severity: finding.Void, Message: fmt.Sprintf("%s: %d answers were wrong", s.label(), s.wrong),
		Why: "a machine that answers wrong has no speed", Fix: "test memory, disk and cables; look for machine checks in the kernel's log",
	}}
}

// unsteady distinguishes a host that grew slower from one that was disturbed.
func unsteady(all []*series) (list []finding.Finding) {
	var slower, wide []string
	for _, s := range all {
		switch cv := s.spread(); {
		case s.singles: // how single operations differ is what they are timed for
		case s.slowed() != "":
			slower = append(slower, s.slowed())
		case cv > wideSpread:
			wide = append(wide, fmt.Sprintf("%s: coefficient of variation %.0f %%", s.label(), 100*cv))
		}
	}
	if len(slower) > 0 {
		list = append(list, finding.Finding{
			Check: "H02", Severity: finding.Caution, Message: fmt.Sprintf("%d of %d variants grew slower over their replicates, such as %s", len(slower), len(all), slower[0]),
			Why: "a processor that runs hot, has used up its credit or gets a neighbour slows down: neither figure is its speed", Fix: "assay doctor; look at temperatures, power limits and neighbours; measure longer",
			Evidence: slower,
		})
	}
	if len(wide) > 0 {
		list = append(list, finding.Finding{
			Check: "H03", Severity: finding.Caution, Message: fmt.Sprintf("replicates of %d of %d variants differ by more than a tenth, such as %s", len(wide), len(all), wide[0]),
			Why: "something else used the machine, or it has two speeds", Fix: "stop other work, bind to a NUMA node, or make more replicates",
			Evidence: wide,
		})
	}
	return list
}

// slowed says how a launch grew slower, if one did: the last third of its replicates
// against the first, with the middle between them.
func (s *series) slowed() string {
	for _, l := range s.launches {
		third := len(l) / 3
		if third == 0 {
			continue
		}
		first, middle, last := stats.Middle(l[:third]), stats.Middle(l[third:len(l)-third]), stats.Middle(l[len(l)-third:])
		ratio := last / first
		if s.What == Latency {
			ratio = first / last
		}
		if ratio < slowing && middle >= min(first, last) && middle <= max(first, last) {
			return fmt.Sprintf("%s: from %s to %s", s.label(), unit.Format(first, s.Unit), unit.Format(last, s.Unit))
		}
	}
	return ""
}

// resent compares with segments of 1448 bytes, the usual; larger ones are fewer, and
// the share higher.
func resent(s *series) []finding.Finding {
	segments := float64(s.bytes) / 1448
	if s.Probe != "network" || s.Variant != "send" || float64(s.resent) <= lossy*segments {
		return nil
	}
	return []finding.Finding{{
		Check: "H04", Severity: finding.Caution, Message: fmt.Sprintf("%s: %d segments were sent again, %.2g %% of them", s.label(), s.resent, 100*float64(s.resent)/segments),
		Why: "a network that loses packets waits for them: throughput swings and the tail of latency grows", Fix: "look at the counters of both interfaces, MTU, cables and flow control",
	}}
}

// threads holds the most threads against one.
func threads(all []*series) (list []finding.Finding) {
	for _, s := range all {
		if s.Threads < 2 || (s.Probe != "matmul" && s.Probe != "speed") {
			continue
		}
		one := slices.IndexFunc(all, func(o *series) bool {
			return o.Threads == 1 && o.Probe == s.Probe && o.Variant == s.Variant && o.Point == s.Point && o.Device == s.Device
		})
		if one < 0 || all[one].middle() == 0 {
			continue
		}
		if gain := s.middle() / all[one].middle(); gain < poorThreads*float64(s.Threads) {
			list = append(list, finding.Finding{
				Check: "H05", Severity: finding.Caution, Message: fmt.Sprintf("%s: %d threads do %.2f times the work of one", s.label(), s.Threads, gain),
				Why: "the processors share cores, a quota or a host with others", Fix: "ask for whole cores; assay doctor says whether a limit is set",
			})
		}
	}
	return list
}

// product holds the product of matrices against the roof of arithmetic.
func product(all []*series) (list []finding.Finding) {
	for _, s := range all {
		if s.Probe != "matmul" || s.Variant != "float64" {
			continue
		}
		for _, peak := range all {
			if peak.Probe == "roofline" && peak.Variant == "peak" && peak.Threads == s.Threads && peak.Device == s.Device && s.middle() < poorProduct*peak.middle() {
				list = append(list, finding.Finding{
					Check: "H06", Severity: finding.Note,
					Message: fmt.Sprintf("%s: %s is %.0f %% of the %s that arithmetic alone reaches", s.label(), unit.Format(s.middle(), s.Unit), 100*s.middle()/peak.middle(), unit.Format(peak.middle(), peak.Unit)),
					Why:     "caches or memory hold the product back", Fix: "look at the cache ladder; a neighbour may use the same caches",
				})
			}
		}
	}
	return list
}

// links holds throughput against what the busiest interface says of itself.
func links(all []*series, faces []Interface) (list []finding.Finding) {
	busiest := slices.IndexFunc(faces, func(f Interface) bool { return f.Speed != nil && f.Name != "lo" })
	if busiest < 0 {
		return nil
	}
	speed := *faces[busiest].Speed
	for _, s := range all {
		if s.Probe == "network" && s.What == Bandwidth && s.Scope != "loopback" && s.middle() < poorLink*speed {
			list = append(list, finding.Finding{
				Check: "H07", Severity: finding.Caution,
				Message: fmt.Sprintf("%s: %s over %s, whose link says %s", s.label(), unit.Format(s.middle(), s.Unit), faces[busiest].Name, unit.Format(speed, unit.BytePerSecond)),
				Why:     "one stream seldom fills a fast link, and neither does a path with a slower one in it", Fix: "try more streams (probe.streams); look at MTU, offloads and the other end",
			})
		}
	}
	return list
}

var linkWidth = regexp.MustCompile(`^pci\.(.+)\.link_width$`)

// narrow finds cards in slots that are not as wide as they are.
func narrow(host string, env record.Environment) (list []finding.Finding) {
	if host != "" {
		host += ": "
	}
	var names []string
	for name := range env {
		if linkWidth.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		now, known := number(env, name)
		most, stated := number(env, name+"_max")
		if known && stated && now > 0 && now < most && !math.IsInf(most, 0) && most < 64 {
			list = append(list, finding.Finding{
				Check: "H08", Severity: finding.Caution,
				Message: fmt.Sprintf("%s%s has %.0f lanes of PCIe and could have %.0f", host, strings.TrimSuffix(strings.TrimPrefix(name, "pci."), ".link_width"), now, most),
				Why:     "half the lanes are half the bandwidth", Fix: "move the card to a wider slot, or seat it again",
			})
		}
	}
	return list
}

func dropped(faces []Interface) (list []finding.Finding) {
	for _, f := range faces {
		if f.Errors > 0 || f.Dropped > lossy*(f.PacketsIn+f.PacketsOut) && f.Dropped > 0 {
			list = append(list, finding.Finding{
				Check: "H09", Severity: finding.Caution,
				Message: fmt.Sprintf("interface %s dropped %.0f packets and found %.0f faulty during the run", f.Name, f.Dropped, f.Errors),
				Why:     "what an interface drops is sent again, late", Fix: "look at rings, interrupts and cables (ethtool -S)",
			})
		}
	}
	return list
}
