package playbook

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/unit"
)

// The cut-offs of hosts. A host whose tail is half as long again as that of the others is
// worth a look; a load generator that uses four fifths of its processors, or stands still
// for ten milliseconds, is part of what it measures.
const (
	hostTail    = 1.5
	hostWorks   = .8
	hostPaused  = .010
	hostBehind  = 10e6 // ns from due to sent, p99
	fewRequests = 100
	setApart    = .05
)

// A Generator is a load generator of one launch.
type Generator struct {
	Launch int
	record.Generator
}

// ReadGenerators reads the load generators of the launches.
func ReadGenerators(b *bundle.Bundle) (list []Generator, err error) {
	for _, info := range b.Launches() {
		for g, err := range bundle.Rows[record.Generator](b, info.Index, bundle.Generators) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			list = append(list, Generator{info.Index, g})
		}
	}
	return list, nil
}

// A Sender is the measured requests that one host sent.
type Sender struct {
	Host   string
	N      int
	Failed int
	Time   Tally // from due to done, of those that succeeded
	Lag    Tally // from due to sent
}

// A Tally counts times, in ns, by steps of two per cent: it has the quantiles of any number
// of them in little room.
type Tally map[int]int

const tallyStep = .02

func (t Tally) add(ns int64) { t[int(math.Floor(math.Log(float64(max(1, ns)))/tallyStep))]++ }

// Quantile is in ns; zero where there is nothing.
func (t Tally) Quantile(q float64) float64 {
	all := 0
	for _, n := range t {
		all += n
	}
	seen := 0
	for _, step := range slices.Sorted(maps.Keys(t)) {
		if seen += t[step]; float64(seen) >= q*float64(all) {
			return math.Exp((float64(step) + .5) * tallyStep)
		}
	}
	return 0
}

// oneHost asks whether the tail is that of the requests of one host.
func oneHost(e Evidence) (Reply, string) {
	senders := slices.DeleteFunc(slices.Clone(e.Requests.Senders), func(s Sender) bool { return s.N-s.Failed < fewRequests })
	if len(senders) < 2 {
		return Missing, fmt.Sprintf("%d requests or more from each of two hosts (load.generators, load.launch)", fewRequests)
	}
	slices.SortFunc(senders, func(a, b Sender) int {
		return -compareFloat(a.Time.Quantile(.99), b.Time.Quantile(.99))
	})
	worst, next := senders[0], senders[1]
	slow, usual := worst.Time.Quantile(.99)/1e9, next.Time.Quantile(.99)/1e9
	figure := fmt.Sprintf("p99 of %d requests from host %s is %s; of those from %s, the next, %s", worst.N, worst.Host, unit.Format(slow, unit.Second), next.Host, unit.Format(usual, unit.Second))
	if slow >= hostTail*usual {
		return Yes, figure
	}
	return No, figure
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// strained asks whether a load generator itself was behind.
func strained(e Evidence) (Reply, string) {
	if len(e.Generators) == 0 {
		return Missing, "load generators of their own (load.generators); assay lint judges the program's own health"
	}
	figure := ""
	busiest := -1.0
	for _, g := range e.Generators {
		who := fmt.Sprintf("launch %d, load generator %d on %s", g.Launch+1, g.Generator.Generator, g.Host)
		if g.Verdict == record.GeneratorLost || g.Verdict == record.GeneratorFailed {
			return Yes, who + " " + g.Verdict + ": " + g.Error
		}
		if g.LongestPause >= hostPaused {
			return Yes, fmt.Sprintf("%s stood still for %s", who, unit.Format(g.LongestPause, unit.Second))
		}
		if g.Wall <= 0 || g.Processors < 1 {
			continue
		}
		if busy := g.CPU / g.Wall / float64(g.Processors); busy > busiest {
			busiest, figure = busy, fmt.Sprintf("%s used %.0f %% of its %d processors, more than any other", who, 100*busy, g.Processors)
		}
	}
	if busiest >= hostWorks {
		return Yes, figure
	}
	for _, s := range e.Requests.Senders {
		if lag := s.Lag.Quantile(.99); lag >= hostBehind && s.N >= fewRequests {
			return Yes, fmt.Sprintf("host %s sent its requests %s after they were due (p99)", s.Host, unit.Format(lag/1e9, unit.Second))
		}
	}
	if figure == "" {
		return Missing, "what the load generators cost (cpu_seconds and wall_seconds of the table generators)"
	}
	return No, figure
}

// wholeHost asks whether a slow rank is alone on its host, or all of that host are slow.
func wholeHost(e Evidence) (Reply, string) {
	hosts, slow := map[string]int{}, map[string]int{}
	for _, r := range e.Collectives.Ranks {
		if hosts[r.Host]++; r.Outlier {
			slow[r.Host]++
		}
	}
	for _, p := range e.Training.Points {
		if p.Verdict.Rank == nil || len(e.Collectives.Ranks) > 0 {
			continue
		}
		for _, r := range p.PerRank {
			hosts[r.Host]++
			if r.Rank == *p.Verdict.Rank {
				slow[r.Host]++
			}
		}
	}
	switch {
	case len(hosts) < 2:
		return Missing, "ranks on two hosts or more, whose table ranks names them"
	case len(slow) == 0:
		return No, fmt.Sprintf("no rank of %d hosts stands out", len(hosts))
	}
	host := slices.MaxFunc(slices.Sorted(maps.Keys(slow)), func(a, b string) int { return slow[a] - slow[b] })
	figure := fmt.Sprintf("%d of the %d ranks on host %s stand out, and %d elsewhere", slow[host], hosts[host], host, sum(slow)-slow[host])
	if len(slow) == 1 && slow[host] == hosts[host] {
		return Yes, figure
	}
	return No, figure
}

func sum(counts map[string]int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// slowSet asks whether launches on one set of hosts took longer than on the others.
func slowSet(e Evidence) (Reply, string) {
	hosts := map[int]string{}
	on := map[int]string{}
	for _, l := range e.Manifest.Launches {
		if l.Set > 0 {
			on[l.Index] = strings.Join(l.Nodes, ", ")
			hosts[l.Set] = on[l.Index]
		}
	}
	if len(hosts) < 2 {
		return Missing, "launches on several sets of the hosts (launch.sets)"
	}
	reply, figure := Missing, "a time that was measured on every set"
	for _, m := range []metric.Metric{metric.StepTime, metric.CollectiveTime, metric.TTFT} {
		for _, row := range e.Estimates.Rows {
			if row.Metric != m.ID || row.Statistic != "mean" {
				continue
			}
			slow, fast, factor := extremes(row, on)
			if factor == 0 {
				continue
			}
			text := fmt.Sprintf("%s at %s takes %.3g times as long on %s as on %s, whatever is measured there", m.Name, pointName(e.Plan, row.Point), factor, slow, fast)
			if factor > 1+setApart {
				return Yes, text
			}
			reply, figure = No, text
		}
	}
	return reply, figure
}

// extremes are the hosts on which a row's launches had the largest and the smallest mean,
// and how far those are apart; 0 where there are not two.
func extremes(row metric.Row, on map[int]string) (slow, fast string, factor float64) {
	sums, counts := map[string]float64{}, map[string]int{}
	for _, v := range row.PerLaunch {
		if hosts := on[v.Launch]; hosts != "" {
			sums[hosts] += v.Value
			counts[hosts]++
		}
	}
	if len(sums) < 2 {
		return "", "", 0
	}
	mean := func(hosts string) float64 { return sums[hosts] / float64(counts[hosts]) }
	by := func(a, b string) int { return compareFloat(mean(a), mean(b)) }
	all := slices.Sorted(maps.Keys(sums))
	slow, fast = slices.MaxFunc(all, by), slices.MinFunc(all, by)
	if mean(fast) <= 0 {
		return "", "", 0
	}
	return slow, fast, mean(slow) / mean(fast)
}

// hostFact is a fact of one of the hosts of a run.
var hostFact = regexp.MustCompile(`^([a-z]+)\.host\.([0-9]+)\.(.+)$`)

// unalike are facts that hosts have in common only by chance.
var unalike = regexp.MustCompile(`(^|[._])(name|address|copied|boot_id|pid|serial|uuid|guid|mac|[a-z_]*seconds|[a-z_]*_at)$`)

// differing asks whether the hosts are alike.
func differing(e Evidence) (Reply, string) {
	values := map[string]map[string][]string{} // fact, value, hosts
	for _, name := range slices.Sorted(maps.Keys(e.Manifest.Environment)) {
		match := hostFact.FindStringSubmatch(name)
		f := e.Manifest.Environment[name]
		if match == nil || f.Value == nil || unalike.MatchString(match[3]) {
			continue
		}
		if values[match[3]] == nil {
			values[match[3]] = map[string][]string{}
		}
		text := fmt.Sprint(f.Value)
		values[match[3]][text] = append(values[match[3]][text], match[2])
	}
	hosts := 0
	for _, fact := range slices.Sorted(maps.Keys(values)) {
		seen := 0
		for _, who := range values[fact] {
			seen += len(who)
		}
		hosts = max(hosts, seen)
		if len(values[fact]) < 2 {
			continue
		}
		var parts []string
		for _, value := range slices.Sorted(maps.Keys(values[fact])) {
			parts = append(parts, fmt.Sprintf("%s on host %s", value, strings.Join(values[fact][value], ", ")))
		}
		return Yes, fact + " is " + strings.Join(parts, " and ")
	}
	if hosts < 2 {
		return Missing, "facts of two hosts or more (launch.kind ssh or slurm)"
	}
	return No, fmt.Sprintf("%d facts of %d hosts agree", len(values), hosts)
}
