package spec

// LaunchesForTail is the fewest launches of which a p99 may be published: of five that
// agree 45 % of all launches may be of a slower mode, which is what a p99 is about; of ten
// 26 %.
const LaunchesForTail = 10

// Trials says how often a run is repeated and how its spread is judged. The
// replicate is the launch, never the request.
type Trials struct {
	// The launches per side of a comparison.
	MinReplicates int `json:"minReplicates,omitzero" default:"3" min:"3" max:"10000"`

	// A quick look: one launch, whatever minReplicates says. It has no interval, its
	// grade is exploratory and nothing of it may be quoted.
	Quick bool `json:"quick,omitzero"`

	// The sets that the hosts of a run are cut into which goes to other hosts as a whole
	// (assay run --launcher). Every launch is made on each set, in an order drawn from the
	// seed, and the sides of a comparison take turns there: a slow host then slows all of
	// them. Each set has minReplicates launches of each side. Ranks and load generators have
	// launch.sets for the same.
	Sets int `json:"sets,omitzero" min:"0" max:"1000"`

	// The confidence of every interval.
	ConfidenceLevel float64 `json:"confidenceLevel,omitzero" default:"0.95" min:"0.8" max:"0.999" rule:"A19"`

	// How the intervals over launches are made: student_t, or bootstrap, which takes
	// no shape of the launches for granted and wants twenty of them. By default
	// student_t.
	Interval string `json:"interval,omitzero" enum:"intervals" rule:"A95"`

	// What is done about unusual launches and requests.
	OutlierPolicy OutlierPolicy `json:"outlierPolicy,omitzero"`

	// What every report shows.
	Report TrialReport `json:"report,omitzero" use:"checked"`
}

// Launches is how many launches each side has.
func (t Trials) Launches() int {
	if t.Quick {
		return 1
	}
	return t.MinReplicates
}

// An OutlierPolicy says how unusual values are found and treated.
type OutlierPolicy struct {
	// How unusual values are found.
	Method string `json:"method,omitzero" default:"mad" enum:"outlierMethods"`

	// What happens to them; assay never drops a value in silence.
	Action string `json:"action,omitzero" default:"flag_and_keep" enum:"outlierActions"`
}

// A TrialReport says what every report shows; each must be true.
type TrialReport struct {
	// Show distributions, not only means.
	Distributions *bool `json:"distributions,omitzero" default:"true"`

	// Show confidence intervals.
	ConfidenceIntervals *bool `json:"confidenceIntervals,omitzero" default:"true"`

	// Show which ranks were unusual.
	RankLevelOutliers *bool `json:"rankLevelOutliers,omitzero" default:"true"`
}
