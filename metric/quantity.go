package metric

// A Quantity is how a metric is made of the records: one of Each, Values, Many,
// Whole, Share, Once and Together.
type Quantity interface{ quantity() }

// The quantities.
type (
	// Each yields the value of one successful measured request, if it has one; a
	// distribution is made of them.
	Each func(t *Timeline) []float64

	// Values is Each of a request that may have more than one value.
	Values func(t *Timeline) []float64

	// Many takes the place of Each where values do not belong to single requests:
	// it yields those of a point in a launch, such as one for each session.
	Many func(p *Point) []float64

	// Whole yields the one value of a point in a launch, and false when the
	// records cannot tell.
	Whole func(p *Point) (float64, bool)

	// Share counts, of the requests of a point in a launch, those that hit and
	// those that were tried.
	Share func(p *Point) (hits, trials int)

	// Once yields the one value of a launch, outside of every point, and false
	// when there is none.
	Once func(l *Launch) (float64, bool)

	// Together is made of several points or launches at once, so that none of them has
	// a value by itself. Whoever sees them together adds its rows: this package for what
	// launches say, package judge for what analyses do.
	Together struct {
		Launches bool // its rows belong to launches and to no point
	}
)

func (Each) quantity()   {}
func (Values) quantity() {}
func (Many) quantity()   {}
func (Whole) quantity()  {}
func (Share) quantity()  {}
func (Once) quantity()   {}

func (Together) quantity() {}

// Each yields the values of a request. It is for metrics of requests alone.
func (m Metric) Each(t *Timeline) []float64 { return m.each()(t) }

// Whole yields the value of a point. It is for metrics that have one.
func (m Metric) Whole(p *Point) (float64, bool) { return m.Of.(Whole)(p) }

// each is how a request gives values; nil for what is not made of requests.
func (m Metric) each() func(*Timeline) []float64 {
	switch of := m.Of.(type) {
	case Each:
		return of
	case Values:
		return of
	}
	return nil
}

// Distributed reports whether a point has many values of the metric, of which
// statistics are made.
func (m Metric) Distributed() bool {
	switch m.Of.(type) {
	case Each, Values, Many:
		return true
	}
	return false
}

// OnceALaunch reports whether the metric belongs to a launch and to no point of it.
func (m Metric) OnceALaunch() bool {
	switch of := m.Of.(type) {
	case Once:
		return true
	case Together:
		return of.Launches
	}
	return false
}
