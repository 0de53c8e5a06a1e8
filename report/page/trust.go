package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/unit"
)

// variance says where the spread of requests comes from.
func (x exhibit) variance() part {
	p := part{ID: "variance", Title: "Where the variance comes from"}
	if t := x.OutlierTable(); len(t.Rows) > 0 {
		p.add(part{Title: "Launches that stand out", Lines: []string{x.OutlierLine() + "."}, Head: t.Head, Rows: t.Rows})
	}
	if x.Pictures == nil || len(x.Pictures.Components) == 0 {
		p.Lines = []string{"Not distinguished: that takes two launches with requests at one point."}
		return p
	}
	p.Lines = []string{"Both spreads are standard deviations relative to the mean. Where launches make up much of it, more requests help little; more launches do."}
	p.Head = []string{"metric", "point", "from launch to launch", "inside a launch", "share of the launches"}
	for _, c := range x.Pictures.Components {
		p.Rows = append(p.Rows, []string{
			c.Name, beside(x.PointName(c.Point), c.Side), fmt.Sprintf("%.3g %%", 100*c.Between), fmt.Sprintf("%.3g %%", 100*c.Within), fmt.Sprintf("%.3g %%", 100*c.Share),
		})
	}
	return p
}

// client says how far the instrument itself can be trusted.
func (x exhibit) client() part {
	p := part{ID: "client", Title: "Client health"}
	if x.Source != nil {
		p.Lines = []string{"The client was " + x.Source.Tool + ", not assay: nothing is known of its own error."}
		return p
	}
	p.Points = report.OwnError(x.Report)
	p.Head = []string{"launch", "lag p50", "lag p99", "late > 1 ms", "shared reads", "CPU", "busiest", "GC pause", "run queue", "steal", "pressure", "memory", "files"}
	for _, h := range x.Client.Launches {
		p.Rows = append(p.Rows, []string{
			fmt.Sprint(h.Launch + 1), report.Quantity(h.LagP50, metric.TTFT.Unit), report.Quantity(h.LagP99, metric.TTFT.Unit), report.Percent(h.LateShare), report.Percent(h.SharedRead),
			report.Percent(h.CPUShare), report.Percent(h.CPUShareMax), report.Quantity(h.GCPauseMax, metric.TTFT.Unit),
			report.Percent(h.RunQueue), report.Percent(h.Steal), report.Percent(h.CPUPressure), report.Quantity(h.ResidentMax, unit.Byte), report.Count(h.OpenFilesMax),
		})
	}
	if head, rows := report.Generators(x.Report); len(rows) > 0 {
		p.add(part{Title: "Load generators", Head: head, Rows: rows})
	}
	return p
}

// headFacts are the facts about a machine that people ask for first.
var headFacts = []string{
	"host.name", "os.name", "kernel.release", "cpu.model", "cpu.threads", "memory.total_bytes", "gpu.count", "gpu.0.name", "gpu.driver", "virtual.container", "server.engine", "server.version",
	"scheduler.job", "scheduler.nodes", "scheduler.queue_wait_seconds", "launcher.hosts", "launcher.start_up_seconds",
}

// environment lists every fact about where the run was made.
func (x exhibit) environment() part {
	p := part{ID: "environment", Title: "Environment"}
	e := x.Manifest.Environment
	if len(e) == 0 {
		p.Lines = []string{"The bundle tells nothing of the machines."}
		return p
	}
	for _, name := range headFacts {
		if fact, ok := e[name]; ok && fact.Unavailable == "" {
			p.Pairs = append(p.Pairs, [2]string{name, factText(fact)})
		}
	}
	missing := 0
	all := part{Head: []string{"fact", "value"}}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if e[name].Unavailable != "" {
			missing++
		}
		all.Rows = append(all.Rows, []string{name, factText(e[name])})
	}
	all.Fold = fmt.Sprintf("All %d facts, %d of them could not be read", len(e), missing)
	p.add(all)
	return p
}

func factText(f record.Fact) string {
	if f.Unavailable != "" {
		return "not known: " + f.Unavailable
	}
	if list, ok := f.Value.([]any); ok {
		var texts []string
		for _, one := range list {
			texts = append(texts, fmt.Sprint(one))
		}
		return strings.Join(texts, ", ")
	}
	if v, ok := f.Value.(float64); ok && v == float64(int64(v)) {
		return fmt.Sprintf("%d", int64(v)) // JSON read a whole number as 1e+09
	}
	return fmt.Sprint(f.Value)
}

// reported repeats the figures of another tool, and says what it does not tell.
func (x exhibit) reported() part {
	p := part{ID: "reported", Title: "As reported by the source"}
	if s := x.Source; s != nil {
		p.Lines = []string{fmt.Sprintf("Imported from %s. assay measured nothing of this and vouches for nothing below.", strings.TrimSpace(s.Tool+" "+s.Version))}
		unknown := part{Title: "Not in its files"}
		for _, gap := range s.Unknown {
			unknown.Pairs = append(unknown.Pairs, [2]string{gap.ID, gap.Detail})
		}
		p.add(unknown, part{Title: "Recomputed, or known to be wrong", Points: s.Notes})
	}
	if table := x.AgreementTable(); len(table.Rows) > 0 {
		p.add(part{Title: report.AgreementTitle, Lines: []string{x.AgreementText() + "."}, Head: table.Head, Rows: table.Rows})
	}
	figures := part{Head: []string{"figure", "point", "statistic", "value", "means"}}
	for _, r := range x.Reported {
		means := r.Definition
		if r.Metric != "" {
			means = "the same as " + r.Metric
		}
		if r.Wrong != "" {
			means = "DO NOT USE: " + r.Wrong
		}
		figures.Rows = append(figures.Rows, []string{r.Name, report.Dash(x.PointName(r.Point)), r.Statistic, unit.Format(r.Value, unit.Unit(r.Unit)), report.Dash(means)})
	}
	p.add(figures)
	return p
}

// provenance says who made the bundle, of what, and how to check it.
func (x exhibit) provenance() part {
	m := x.Manifest
	p := part{ID: "provenance", Title: "Provenance"}
	add := func(name, text string) {
		if text != "" {
			p.Pairs = append(p.Pairs, [2]string{name, text})
		}
	}
	add("run", x.RunID)
	add("signature", x.Signature)
	add("made by", strings.TrimSpace(m.Tool.Name+" "+m.Tool.Version+" "+m.Tool.GoVersion))
	add("binary", m.Tool.SHA256)
	add("spec", m.SpecDigest)
	add("plan", m.PlanDigest)
	add("workload", x.Plan.WorkloadDigest)
	add("topology", m.TopologyDigest)
	add("bundle", m.Digest)
	add("estimates by", "assay "+x.Estimates.Code)
	if in := m.Inputs.Model; in != nil {
		add("model", fmt.Sprint(*in))
	}
	ledger := part{Fold: fmt.Sprintf("Ledger: %d launches, failed ones too", len(x.Launches)), Head: []string{"launch", "side", "started", "ended", "outcome"}}
	for _, l := range x.Launches {
		ended := "–"
		if !l.Ended.IsZero() {
			ended = l.Ended.UTC().Format("2006-01-02 15:04:05")
		}
		outcome := string(l.Outcome)
		if l.Reason != "" {
			outcome += ": " + l.Reason
		}
		ledger.Rows = append(ledger.Rows, []string{fmt.Sprint(l.Index + 1), report.Dash(l.Side), l.Started.UTC().Format("2006-01-02 15:04:05"), ended, outcome})
	}
	p.add(ledger)
	verify := "assay verify " + x.RunID
	if m.Signer.KeyID != "" && m.Signer.KeyID != bundle.Unsigned {
		verify += " --key THE-SIGNERS.pub"
	}
	p.add(part{Title: "How to check it", Lines: []string{
		"This page is a copy of what the bundle says and proves nothing by itself. In the folder that holds the bundle:",
	}, Pre: verify + "\n" + "assay report " + x.RunID})
	return p
}

// files lists what the bundle holds.
func (x exhibit) files() part {
	p := part{ID: "files", Title: "Raw files"}
	list := x.Manifest.Files
	if len(list) == 0 {
		p.Lines = []string{"Every request, chunk, sample and event is in the Parquet files under raw/ of the bundle; manifest.json lists them with their digests."}
		return p
	}
	var bytes int64
	all := part{Head: []string{"path", "role", "size", "rows", "SHA-256"}}
	for _, f := range list {
		bytes += f.Bytes
		rows := "–"
		if f.Rows != nil {
			rows = fmt.Sprint(*f.Rows)
		}
		all.Rows = append(all.Rows, []string{f.Path, string(f.Role), unit.Format(float64(f.Bytes), unit.Byte), rows, f.SHA256})
	}
	p.Lines = []string{fmt.Sprintf("%d files, %s. Tables are Parquet: pandas, DuckDB and Polars open them as they are.", len(list), unit.Format(float64(bytes), unit.Byte))}
	all.Fold = "All files"
	p.add(all)
	return p
}
