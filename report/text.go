package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
	"assay/visible"
)

// Text writes the brief and everything behind it.
func Text(w io.Writer, r Report) error {
	first := screen{width: briefWidth}
	r.writeBrief(&first)
	var b bytes.Buffer
	b.Write(first.Bytes())
	fmt.Fprintln(&b)
	writeHead(&b, r)
	writeMedians(&b, r)
	writeEachApart(&b, r)
	writeSearch(&b, r.Search)
	for _, line := range r.Knees() {
		fmt.Fprintf(&b, "\n%s\n", visible.Line(line))
	}
	writeMLPerf(&b, r.MLPerf, r.PointName)
	writeRanks(&b, r)
	for _, point := range r.ServingPoints() {
		if r.Search == nil || r.Search.Ends(point.Index) { // the path tells of the others
			writeSides(&b, r, point)
		}
	}
	writeScaling(&b, r.Scaling)
	writeOutliers(&b, r)
	writeSteady(&b, r)
	writeClient(&b, r)
	writeSource(&b, r)
	writeFoot(&b, r)
	_, err := io.WriteString(w, visible.Text(b.String()))
	return err
}

func writeHead(b *bytes.Buffer, r Report) {
	s := r.Plan.Decided()
	fmt.Fprintf(b, "assay %s\n\n", r.RunID)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, visible.Line(fmt.Sprintf(format, args...)))
	}
	row("status", "%s, %d of %d planned launches completed", r.Status, Completed(r.Launches), len(r.Plan.Launches))
	row("signature", "%s", r.Signature)
	if r.Source != nil {
		row("source", "%s", SourceLine(r.Source))
	}
	row("class", "%s%s", s.Intent.BenchmarkClass, DeclaredOnly(s.Intent.BenchmarkClass))
	if r.Claims != nil {
		row("grade", "%s", GradeText(*r.Claims))
		row("division", "%s", r.Claims.Division.Reasoned())
	}
	if s.Target != nil {
		for _, side := range s.Sides() {
			row(SideHead(side.Name), "%s %s, model %s%s", side.Target.API, TargetURL(side.Target)+ConnectedBy(side.Target), side.Target.Model, r.StartedBy(side.Target))
		}
	}
	for _, one := range r.SystemLines() {
		row(one[0], "%s", one[1])
	}
	if text := declared(r.Plan.Run.Metadata.Labels); text != "" {
		row("labels", "%s", text)
	}
	if s.Observability.ProfileDepth == spec.DepthDeepDive {
		row("profile", "%s", r.Plan.Depth())
	}
	if text := UnactedText(r.Unacted); text != "" {
		row("not acted on", "%s", text)
	}
	for _, one := range r.RankQuestion() {
		row(one[0], "%s", one[1])
	}
	if r.Serves() {
		writeAsked(row, r)
	}
	row("workload", "%s", r.Plan.WorkloadDigest)
	row("intervals", "%s", r.IntervalLine())
	if text := r.OutlierLine(); text != "" {
		row("outliers", "%s", text)
	}
	if r.Serves() {
		for _, text := range OwnError(r) {
			row("own error", "%s", text)
		}
	}
	t.Flush()
}

// writeAsked writes what the target was asked.
func writeAsked(row func(name, format string, args ...any), r Report) {
	s := r.Plan.Decided()
	row("load", "%s", r.LoadLine())
	if s.Workload.Session != nil {
		row("sessions", "%s", SessionText(s.Workload.Session))
	}
	for _, replay := range r.Replays {
		row("trace", "%s", ReplayText(replay, s.Workload.Session != nil))
	}
	for _, replay := range r.Replays {
		row("lengths", "as recorded: %.4g tokens in, %.4g out on average", replay.InputTokens, replay.OutputTokens)
	}
	for _, text := range r.LengthLines() {
		if s.Load == nil || s.Load.TraceRef == "" {
			row("lengths", "%s", text)
		}
	}
	if text := batches(s.Load); text != "" {
		row("batches", "%s", text)
	}
	if r.Source == nil {
		row("tokenizer", "%s", TokenizerText(s.Workload.Tokenizer))
	}
}

// GradeText names the grade and, where it is not the one asked for, why.
func GradeText(c claim.Claims) string {
	text := string(c.Grade)
	if len(c.Downgrades) > 0 {
		text += ": " + strings.Join(c.Downgrades, "; ")
	}
	return text + "; assay claim says what may be quoted"
}

// DeclaredOnly keeps the class that was asked for from being read as the grade.
func DeclaredOnly(class string) string {
	if class == spec.PublicationGrade {
		return " as asked for; the grade is what the evidence shows"
	}
	return ""
}

// TargetURL is where a target was found, or what was started.
func TargetURL(t *spec.Target) string {
	if t.API == spec.APICommand && t.Server != nil {
		return strings.Join(t.Server.Command, " ")
	}
	if len(t.URLs) > 0 {
		return strings.Join(t.URLs, ", ")
	}
	return t.URL
}

// ConnectedBy names what differs from a plain connection read in the best way.
func ConnectedBy(t *spec.Target) string {
	var said string
	if t.HTTP2 {
		said += " over HTTP/2"
	}
	if t.Proxy != "" {
		said += " through a proxy"
	}
	if t.Reader != "" {
		said += ", read by " + t.Reader
	}
	return said
}

// StartedBy says whether launches share the state of the server.
func (r Report) StartedBy(t *spec.Target) string {
	if r.Source != nil {
		return "" // nobody said
	}
	if t.Server == nil {
		return " (not restarted between launches: they share its state)"
	}
	if t.Server.Restart == spec.RestartRun {
		return " (started once: launches share its state)"
	}
	return " (started anew for each launch)"
}

// Completed counts the launches that completed.
func Completed(launches []bundle.LaunchInfo) int {
	n := 0
	for _, l := range launches {
		if l.Outcome == bundle.LaunchCompleted {
			n++
		}
	}
	return n
}

// columns are the statistics shown side by side.
var columns = []string{"mean", "p50", "p90", "p95", "p99"}

func writePoint(b *bytes.Buffer, r Report, point plan.Point) {
	var each, whole []metric.Metric
	for _, m := range metric.All {
		_, applies := m.Applies(r.Plan, point)
		switch {
		case m.OnceALaunch(), !applies:
			// It has no meaning here, which is not the same as being unknown.
		case r.lacks(m):
			// The source could not have it.
		case !r.Shown(m):
			// writeMore counts it.
		case m.Only(metric.Telemetry), m.Only(metric.Declarations):
			// writeServer, writeApart and writeEconomics show what there is.
		case m.Distributed():
			each = append(each, m)
		default:
			whole = append(whole, m)
		}
	}
	if r.Source != nil && !Measured(r.Estimates, point.Index) {
		writeReported(b, r, point.Index)
		return
	}
	if !Measured(r.Estimates, point.Index) {
		fmt.Fprintln(b, "  no completed launch measured this point")
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  metric\t%s\tn per launch\tCV of p50\tclient error\n", strings.Join(columns, "\t"))
	for _, m := range each {
		median, ok := r.Estimates.Find(m.ID, "p50", point.Index)
		if !ok {
			continue
		}
		cells := []string{m.Name}
		for _, statistic := range columns {
			cells = append(cells, cell(r.Estimates, m, statistic, point.Index))
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", strings.Join(cells, "\t"), Sizes(median), Percent(median.CV), BoundOf(r, m))
	}
	t.Flush()
	if text := r.BesideTails(); text != "" && len(each) > 0 {
		fmt.Fprintf(b, "  %s\n", text)
	}
	warnOfSessions(b, r, point)
	for _, m := range whole {
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			fmt.Fprintf(t, "  %s\t%s\tCV %s\n", m.Name, Value(row), Percent(row.CV))
		} else if !m.Detail {
			fmt.Fprintf(t, "  %s\tthe records cannot tell\t\n", m.Name)
		}
	}
	t.Flush() // long lines below must not move the columns above
	for _, c := range r.Estimates.Counts {
		if c.Point == point.Index {
			fmt.Fprintf(t, "  %s tokens\t%s\t\n", c.Of, CountText(c))
		}
	}
	fmt.Fprintf(t, "  outcomes\t%s\t\n", counts(r.Estimates, point.Index))
	t.Flush()
	writeServer(b, r, point)
	writeEconomics(b, r, point)
	writeMore(b, r, point)
}

// Measured reports whether any completed launch measured the point.
func Measured(e metric.Estimates, point int) bool {
	return slices.ContainsFunc(e.Rows, func(r metric.Row) bool { return r.Point == point })
}

// cell shows one statistic, or why it cannot be shown.
func cell(e metric.Estimates, m metric.Metric, statistic string, point int) string {
	row, ok := e.Find(m.ID, statistic, point)
	if !ok {
		return "–"
	}
	for _, warning := range row.Warnings {
		if text, _, found := strings.Cut(warning, ","); found && stats.IsTooFew(text) {
			return text
		}
	}
	return Value(row)
}

// Value shows an estimate with its interval, and the mark where it may not be quoted:
// 23.4 ms [22.9, 23.9] †.
func Value(row metric.Row) string {
	if math.IsInf(row.Interval.Hi, 1) {
		return Marked(unit.Format(row.Value, row.Unit)+" [no interval]", row.Void)
	}
	return Marked(unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit), row.Void)
}

// Sizes lists how many values each launch gave.
func Sizes(row metric.Row) string {
	var list []string
	for _, v := range row.PerLaunch {
		list = append(list, fmt.Sprint(v.N))
	}
	return strings.Join(list, " ")
}

// Percent shows a share that may be missing.
func Percent(cv *float64) string {
	if cv == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100**cv)
}

func counts(e metric.Estimates, point int) string {
	var parts []string
	for _, o := range e.Outcomes {
		if o.Point != point {
			continue
		}
		for _, outcome := range slices.Sorted(maps.Keys(o.Counts)) {
			parts = append(parts, fmt.Sprintf("%s %d", outcome, o.Counts[record.Outcome(outcome)]))
		}
	}
	return strings.Join(parts, ", ")
}

// PointName is the name of a point of the plan.
func (r Report) PointName(index int) string {
	point, _ := r.Plan.PointByIndex(index)
	return point.Name
}

func writeFoot(b *bytes.Buffer, r Report) {
	if len(r.Estimates.LeftOut) > 0 || len(r.Warnings) > 0 {
		fmt.Fprintln(b)
	}
	for _, l := range r.Estimates.LeftOut {
		fmt.Fprintf(b, "launch %d is left out of every estimate: %s\n", l.Launch+1, visible.Line(l.Reason))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(b, "warning: %s\n", visible.Line(warning))
	}
	if n := len(r.Estimates.Launches) / max(1, len(r.Plan.Sides())); n > 1 && n < 6 {
		fmt.Fprintf(b, "\n%d launches: enough for t intervals, too few for rank tests (6).\n", n)
	}
	if text := Unseen(r); text != "" {
		fmt.Fprintln(b, text)
	}
}
