package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
)

// NoisyNeighbours fires when others used the machine while it was measured.
var NoisyNeighbours = Check{
	ID: "noisy-neighbours", Code: "P-16", Severity: finding.Caution, About: finding.Speed,
	Doc: "Others used the machine while it was measured.",
	When: "in the measured windows of a launch, programs that assay did not start used more than 5 % of the processors, " +
		"other machines took more than 1 % (steal), or tasks waited for a processor for more than 5 % of the time (PSI, or " +
		"the run queue of the client where the kernel has none) and it cannot be told whose they were. A caution, and no " +
		"publication grade; in other runs a note, up to 25 % of the processors, 5 % of steal and 25 % of waiting",
	Applies: func(f *Facts) bool { return f.Manifest.Source == nil || publication(f) },
	Run:     noisyNeighbours,
}

// OwnContention fires when the client and what it started had too few processors.
var OwnContention = Check{
	ID: "own-contention", Severity: finding.Caution, About: finding.Speed,
	Doc: "The client and the programs that it started waited for each other's processors.",
	When: "in the measured windows of a launch, tasks waited for a processor for more than 5 % of the time though others used " +
		"at most 5 % of the processors. A caution, and no publication grade; in other runs a note, up to 25 % of waiting",
	Applies: NoisyNeighbours.Applies,
	Run:     ownContention,
}

// Isolation are the checks by which a run shows that it had its machine for itself:
// a publication has passed each of them.
var Isolation = []string{SharedNodes.ID, NoisyNeighbours.ID, OwnContention.ID}

const (
	// limitOthers is the share of the processors that others may use: what an idle
	// host does by itself is a tenth of it, and the two accounts that are subtracted
	// from each other differ by a few per cent.
	limitOthers = .05

	// Runs that are not for publication share by declaration. Beyond these limits
	// every claim carries it.
	heavyWaiting = .25
	heavyOthers  = .25
	heavySteal   = .05
)

// contended is what one launch says about its host.
type contended struct {
	text  string
	heavy bool
}

func noisyNeighbours(f *Facts) Answer {
	var list []contended
	for _, h := range f.Client.Launches {
		i := h.Isolation
		waited, known := waiting(i)
		if !known || i.Steal == nil {
			return missing(fmt.Sprintf("samples of the host's pressure and steal in the measured windows of launch %d", h.Launch+1))
		}
		add := func(value, most, heavy float64, format string, args ...any) {
			if value > most {
				list = append(list, contended{fmt.Sprintf("launch %d: ", h.Launch+1) + fmt.Sprintf(format, args...), value > heavy})
			}
		}
		add(*i.Steal, limitSteal, heavySteal, "other machines took %.1f %% of the processor time (limit %.3g %%)", 100**i.Steal, 100*limitSteal)
		switch others, told := othersShare(i); {
		case !told:
			add(waited, limitPressure, heavyWaiting, "%s, whose cannot be told", waitText(i))
		case others > limitOthers:
			add(others, limitOthers, heavyOthers, "others used %.2f of %.3g processors (limit %.3g %%), and %s", *i.Others, *i.Processors, 100*limitOthers, waitText(i))
		}
	}
	if len(f.Client.Launches) == 0 {
		return missing("samples of the host's pressure and steal")
	}
	return f.contention(list, "the host was shared while it was measured", finding.Finding{
		Why: "what neighbours take is missing from the system under test" + f.targetAmongOthers(),
		Fix: "use nodes of its own, and let assay start the server",
	})
}

func ownContention(f *Facts) Answer {
	var list []contended
	for _, h := range f.Client.Launches {
		waited, known := waiting(h.Isolation)
		others, told := othersShare(h.Isolation)
		if !known || !told {
			return missing(fmt.Sprintf("the host's pressure and whose processor time it was in the measured windows of launch %d", h.Launch+1))
		}
		if others <= limitOthers && waited > limitPressure {
			text := fmt.Sprintf("launch %d: %s, while others used %.2f of %.3g processors", h.Launch+1, waitText(h.Isolation), *h.Isolation.Others, *h.Isolation.Processors)
			list = append(list, contended{text, waited > heavyWaiting})
		}
	}
	if len(f.Client.Launches) == 0 {
		return missing("samples of the host's pressure")
	}
	return f.contention(list, "too few processors for the client and what it started", finding.Finding{
		Why: "the client takes from the target what it measures",
		Fix: "measure from another host, or give client and target processors of their own",
	})
}

// contention turns what launches say into one finding.
func (f *Facts) contention(list []contended, what string, out finding.Finding) Answer {
	if len(list) == 0 {
		return found()
	}
	out.Severity = finding.Note
	if publication(f) || slices.ContainsFunc(list, func(c contended) bool { return c.heavy }) {
		out.Severity = finding.Caution
	}
	for _, c := range list {
		out.Evidence = append(out.Evidence, c.text)
	}
	out.Message = what + ": " + summary(out.Evidence)
	return found(out)
}

// busyHost says that in most launches tasks of the host waited for a processor so long, or other
// machines took so much, that what looks like the system's own start may be theirs.
func (f *Facts) busyHost() bool {
	busy := 0
	for _, h := range f.Client.Launches {
		waited, _ := waiting(h.Isolation)
		if steal := h.Isolation.Steal; waited > heavyWaiting || steal != nil && *steal > heavySteal {
			busy++
		}
	}
	return 2*busy > len(f.Client.Launches)
}

// onBusyHost is a finding about how a system starts: on a busy host nobody can tell its start from
// what others did, and it forbids nothing.
func (f *Facts) onBusyHost(one finding.Finding) finding.Finding {
	if one.Severity == finding.Void && f.busyHost() {
		one.Severity = finding.Caution
		one.Message += "; the host was busy, which may have done it"
	}
	return one
}

// waiting is the share of the measured time in which something waited for a processor.
// Where the kernel keeps no such account, what the client's own threads waited stands
// for it.
func waiting(i metric.Isolation) (share float64, known bool) {
	if waited := cmp.Or(i.CPUPressure, i.RunQueue); waited != nil {
		return min(1, *waited), true
	}
	return 0, false
}

func waitText(i metric.Isolation) string {
	share, _ := waiting(i)
	if i.CPUPressure == nil {
		return fmt.Sprintf("the client's threads waited for a processor for %.1f %% of the time (limit %.3g %%)", 100*share, 100*limitPressure)
	}
	return fmt.Sprintf("CPU contention (PSI) %.1f %% (limit %.3g %%)", 100*share, 100*limitPressure)
}

// othersShare is the share of the host's processors that others used.
func othersShare(i metric.Isolation) (share float64, known bool) {
	if i.Others == nil || i.Processors == nil || *i.Processors == 0 {
		return 0, false
	}
	return *i.Others / *i.Processors, true
}

// targetAmongOthers says that the target itself may be one of the others.
func (f *Facts) targetAmongOthers() string {
	for _, side := range f.Plan.Sides() {
		if side.Target != nil && side.Target.Server == nil && metric.Here(side.Target) {
			return "; the target runs here too and is counted among the others, since assay did not start it"
		}
	}
	return ""
}
