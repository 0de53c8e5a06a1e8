package spec

import (
	"reflect"
	"strings"

	"assay/schedule"
	"assay/unit"
)

// KindBenchmarkSchedule is the kind of document that makes runs at fixed times.
const KindBenchmarkSchedule = "BenchmarkSchedule"

// A BenchmarkSchedule makes a BenchmarkRun whenever its schedule says, for as long as it
// exists: a canary every ten minutes, a nightly suite, the runs before a release.
type BenchmarkSchedule struct {
	// The version of this document's format.
	APIVersion string `json:"apiVersion" required:"true" enum:"policyVersions" rule:"A1" use:"checked"`

	// The kind of document: BenchmarkSchedule.
	Kind string `json:"kind" required:"true" enum:"scheduleKinds" use:"checked"`

	// What the schedule is called. In a cluster its runs are called after it and the time
	// they were due, in UTC; those of assay schedule are called as it is.
	Metadata Metadata `json:"metadata" required:"true"`

	// When runs are made, and which.
	Spec ScheduleSpec `json:"spec" required:"true"`
}

// A ScheduleSpec says when runs are made, and which.
type ScheduleSpec struct {
	// What the runs are for. It becomes intent.cadence of every run.
	Purpose string `json:"purpose" required:"true" enum:"cadences"`

	// When runs are due, as a cron expression of five fields, or @hourly, @daily and the
	// like.
	Schedule string `json:"schedule" required:"true" example:"0 2 * * *"`

	// The time zone of the schedule, by its IANA name. An hour that it leaves out when
	// clocks change has no runs that day, and one that it repeats has them twice.
	TimeZone string `json:"timeZone,omitzero" default:"UTC" example:"Europe/Berlin"`

	// What becomes of a due run while an earlier one has not ended: Forbid lets it wait
	// until its deadline, Allow starts it beside the other, Replace ends the other and
	// starts it when that one has sealed its bundle.
	ConcurrencyPolicy string `json:"concurrencyPolicy,omitzero" default:"Forbid" enum:"concurrencyPolicies"`

	// How late a run may start. After that it is counted as missed, and so it is when the
	// next one is due.
	StartingDeadline unit.Duration `json:"startingDeadline,omitzero" default:"1h" min:"10s" max:"365d"`

	// Make no runs for now. What is due meanwhile is counted as missed.
	Suspend bool `json:"suspend,omitzero"`

	// How many runs that succeeded stay in the cluster. Their bundles stay in any case.
	SuccessfulRunsHistoryLimit *int `json:"successfulRunsHistoryLimit,omitzero" default:"10" min:"0" max:"1000"`

	// The same for runs that failed, were void or sealed a part.
	FailedRunsHistoryLimit *int `json:"failedRunsHistoryLimit,omitzero" default:"10" min:"0" max:"1000"`

	// Hold every run against an accepted one. By assay schedule alone: the operator
	// refuses it.
	Gate *ScheduledGate `json:"gate,omitzero"`

	// Who hears of what went wrong, once, and again when it is over. By assay schedule
	// alone: the operator refuses them.
	Alerts []AlertRoute `json:"alerts,omitzero"`

	// The run that is made.
	Template RunTemplate `json:"template" required:"true"`
}

// A RunTemplate is a BenchmarkRun without a name.
type RunTemplate struct {
	// Labels and annotations of every run.
	Metadata TemplateMetadata `json:"metadata,omitzero"`

	// The question, as in a BenchmarkRun.
	Spec RunSpec `json:"spec" required:"true"`
}

// TemplateMetadata is what every run of a schedule is marked with.
type TemplateMetadata struct {
	// Free labels, copied to every artifact.
	Labels map[string]string `json:"labels,omitzero"`

	// Free annotations; assay keeps them and reads none.
	Annotations map[string]string `json:"annotations,omitzero"`
}

// A ScheduleStatus is what a controller reports on a BenchmarkSchedule object.
type ScheduleStatus struct {
	// The generation of the object the status speaks of.
	ObservedGeneration int64 `json:"observedGeneration,omitzero"`

	// When the last run that was made was due, as RFC 3339.
	LastScheduleTime string `json:"lastScheduleTime,omitzero"`

	// Its name.
	LastRun string `json:"lastRun,omitzero"`

	// When the last run that succeeded was due, as RFC 3339.
	LastSuccessfulTime string `json:"lastSuccessfulTime,omitzero"`

	// Its name.
	LastSuccessfulRun string `json:"lastSuccessfulRun,omitzero"`

	// When the next run is due, as RFC 3339; empty while the schedule is suspended or
	// rejected.
	NextScheduleTime string `json:"nextScheduleTime,omitzero"`

	// When a run was due that an earlier one blocks, as RFC 3339.
	WaitingSince string `json:"waitingSince,omitzero"`

	// Every due time up to here has its run or is counted as missed, as RFC 3339.
	DecidedUntil string `json:"decidedUntil,omitzero"`

	// The schedule and time zone that this was decided by. Another one begins when it is
	// first seen.
	DecidedBy string `json:"decidedBy,omitzero"`

	// The runs that have not ended.
	Active []string `json:"active,omitzero"`

	// The due times that no run was made for, one entry for each reason.
	Missed []MissedRuns `json:"missed,omitzero"`

	// What is true of the schedule at the moment, one entry per type.
	Conditions []Condition `json:"conditions,omitzero"`
}

// MissedRuns counts due times without a run.
type MissedRuns struct {
	// Why: Suspended, TooLate, Overtaken, Blocked or NameTaken.
	Reason string `json:"reason" required:"true"`

	// How many there were.
	Count int64 `json:"count" required:"true" min:"0" max:"1000000000000"`

	// When the last of them was due, as RFC 3339.
	Last string `json:"last,omitzero"`
}

// scheduleRules are the rules of a BenchmarkSchedule. Its template is held to those of a
// BenchmarkRun.
var scheduleRules = []Rule{
	{ID: "A110", Path: "spec.schedule", Doc: "schedule is a cron expression of five fields that happens, without a time zone in it; timeZone is one of the IANA database.", check: scheduleHappens},
	{ID: "A111", Path: "spec.template.spec.intent.cadence", Doc: "The cadence of the template is the schedule's purpose, or left out.", check: cadenceIsPurpose},
	{ID: "A112", Path: "spec.alerts", Doc: "A route of alerts has a name of its own, one way to people, addresses that can be written to, and no secret that is written out.", check: alertRoutes},
}

// ResolveSchedule is Resolve for a BenchmarkSchedule. Its template stays as written: a run
// resolves its own defaults.
func ResolveSchedule(s BenchmarkSchedule) (BenchmarkSchedule, []Default) {
	written := s.Spec.Template
	s.Spec.Template = RunTemplate{}
	resolved, defaults := resolve(s)
	resolved.Spec.Template = written
	return resolved, defaults
}

// inTemplate is where a schedule holds its run.
const inTemplate = "spec.template."

func parseSchedule(root *node) (*BenchmarkSchedule, []Fault) {
	d := &decoder{}
	s := new(BenchmarkSchedule)
	d.value(root, reflect.ValueOf(s).Elem(), member{}, "")
	var found []Fault
	for _, f := range d.faults { // those of the template's spec are found again below
		if !strings.HasPrefix(f.Path, inTemplate+"spec") || root.at(inTemplate+"spec") == nil {
			found = append(found, f)
		}
	}
	c := newChecker(root, found)
	c.schedule, _ = ResolveSchedule(*s)
	c.doc = toNode(c.schedule)
	c.apply(scheduleRules)
	found = merge(found, c)
	if question := root.at(inTemplate + "spec"); question != nil {
		run, faults := parseRun(templateRun(root, question))
		hideSecrets(faults, literalSecrets(*run))
		for _, f := range faults {
			f.Path = inTemplate + f.Path
			found = append(found, f)
		}
	}
	return s, found
}

// templateRun is the run of a template with a name, as a document.
func templateRun(root, question *node) *node {
	word := func(text string) *node {
		return &node{shape: stringShape, text: text, line: root.line, column: root.column}
	}
	of := func(fields ...field) *node {
		return &node{shape: mappingShape, line: root.line, column: root.column, fields: fields}
	}
	return of(
		field{name: "apiVersion", value: word(APIVersion)}, field{name: "kind", value: word(KindBenchmarkRun)},
		field{name: "metadata", value: of(field{name: "name", value: word("template")})}, field{name: "spec", value: question},
	)
}

func scheduleHappens(c *checker) {
	s := c.schedule.Spec
	if _, err := schedule.Zone(s.TimeZone); err != nil {
		c.fail("spec.timeZone", err.Error())
	}
	if c.anyUnread("spec.schedule") || s.Schedule == "" {
		return
	}
	if _, err := schedule.Parse(s.Schedule, ""); err != nil {
		c.fail("spec.schedule", err.Error())
	}
}

func cadenceIsPurpose(c *checker) {
	s := c.schedule.Spec
	if cadence := s.Template.Spec.Intent.Cadence; cadence != "" && cadence != s.Purpose {
		c.fail("spec.template.spec.intent.cadence", "is another than spec.purpose: leave it out")
	}
}
