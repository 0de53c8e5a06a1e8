package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/analysis/overlap"
	"assay/bundle"
	"assay/finding"
	"assay/plan"
	"assay/record"
)

// Version is the version of the format of scaling.json.
const Version = "1.1"

// A Report is how the training of a bundle grows: derived/VERSION/scaling.json.
type Report struct {
	Version string        `json:"version"`
	Studies []StudyReport `json:"studies"` // one for each value of the knob that varies
}

// A StudyReport is one curve.
type StudyReport struct {
	Name    string  `json:"name,omitempty"` // KNOB=VALUE, where one varies
	Study   *Study  `json:"study,omitempty"`
	Result  *Result `json:"result,omitempty"`
	Refused string  `json:"refused,omitempty"` // why there is no result
}

// Findings are those of every curve. What voids a curve does not void the run that
// it was drawn from: the sizes by themselves may stand.
func (r Report) Findings() []finding.Finding {
	var list []finding.Finding
	for _, s := range r.Studies {
		if s.Result == nil {
			continue
		}
		for _, f := range s.Result.Findings {
			if f.Severity == finding.Void {
				f.Severity = finding.Caution
			}
			if s.Name != "" {
				f.Message = s.Name + ": " + f.Message
			}
			list = append(list, f)
		}
	}
	return list
}

// Planned says whether p measures training at two sizes or more.
func Planned(p plan.Plan) bool {
	sizes := map[int]bool{}
	for _, point := range p.Points {
		if point.Kind() == plan.KindSteps {
			sizes[point.Ranks] = true
		}
	}
	return len(sizes) > 1
}

// FromBundle makes a study of every curve in the training points of b. The value of
// a launch is its throughput: tokens of all ranks over the time of the measured
// steps, each as long as its slowest rank's. The base is the best run on one rank,
// of the plain program or of the distributed one.
func FromBundle(b *bundle.Bundle, p plan.Plan, training overlap.Report) (Report, error) {
	out := Report{Version: Version}
	launches, err := throughputs(b)
	if err != nil {
		return out, err
	}
	for _, group := range curves(p) {
		one := StudyReport{Name: group.name}
		s, ok := group.study(launches, training)
		if !ok {
			one.Refused = "fewer than two sizes completed a launch: there is no curve"
			out.Studies = append(out.Studies, one)
			continue
		}
		result, err := Analyse(s)
		if err != nil {
			return out, fmt.Errorf("scaling %s: %w", group.name, err)
		}
		one.Study, one.Result = &s, &result
		out.Studies = append(out.Studies, one)
	}
	return out, nil
}

// A curve is the points that differ in their ranks only.
type curve struct {
	name   string
	points []plan.Point
}

func curves(p plan.Plan) []curve {
	var list []curve
	for _, point := range p.Points {
		if point.Kind() != plan.KindSteps {
			continue
		}
		name := point.Steps.Setting()
		i := slices.IndexFunc(list, func(c curve) bool { return c.name == name })
		if i < 0 {
			i, list = len(list), append(list, curve{name: name})
		}
		list[i].points = append(list[i].points, point)
	}
	return list
}

// study is the curve with what its launches reached.
func (c curve) study(launches map[int]throughput, training overlap.Report) (Study, bool) {
	s := Study{Kind: Kind(c.points[0].Steps.Scaling), Quantity: Throughput, Unit: "tok/s"}
	for _, point := range c.points {
		values := launches[point.Index].values
		if len(values) == 0 {
			continue
		}
		if point.Steps.Parallelism == "none" && point.Ranks == 1 && point.Name != nameOf(point) {
			s.Single, s.BaseName = values, point.Name
			continue
		}
		s.Points = append(s.Points, Point{
			Workers: point.Ranks, Values: values, Batch: float64(point.Steps.GlobalBatch), Communication: ExposedShare(training, point.Index), Window: WindowOf(point),
			Plan: &point.Index, Launches: launches[point.Index].launches,
		})
	}
	slices.SortFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.Workers, b.Workers) })
	if len(s.Points) == 0 || len(s.Points) < 2 && (s.Single == nil || s.Points[0].Workers == 1) {
		return s, false
	}
	s.rest()
	return s, true
}

// nameOf is the name of a point of the distributed program.
func nameOf(p plan.Point) string {
	name := fmt.Sprintf("ranks=%d", p.Ranks)
	if setting := p.Steps.Setting(); setting != "" {
		name += " " + setting
	}
	return name
}

// rest chooses the base: the better of the two programs on one rank.
func (s *Study) rest() {
	one := s.Points[0].Workers == 1
	switch {
	case s.Single == nil && one:
		s.Baseline = OneWorker
	case s.Single == nil:
		s.Baseline = Smallest
	case one && stat.Mean(s.Points[0].Values, nil) > stat.Mean(s.Single, nil):
		s.Baseline, s.Single = BestSingle, s.Points[0].Values
		s.BaseName = "the distributed program with one rank, which was faster than the plain one"
	case one:
		s.Baseline, s.BaseName = BestSingle, "the plain program, which was no slower than the distributed one with one rank"
	default:
		s.Baseline, s.BaseName = BestSingle, "the plain program"
	}
}

// ExposedShare is the part of the step that exposed communication took, nil where it
// was not measured.
func ExposedShare(training overlap.Report, point int) *float64 {
	for _, p := range training.Points {
		if p.Point != point {
			continue
		}
		for _, part := range p.Parts {
			if part.Name == "exposed_communication" && part.Share >= 0 && part.Share < 1 {
				return &part.Share
			}
		}
	}
	return nil
}

// A throughput is the tokens a second that launches reached.
type throughput struct {
	values   []float64
	launches []int // of each value
}

// throughputs is the tokens a second of every completed launch, by point: tokens of
// all ranks over the sum of the slowest ranks' step times.
func throughputs(b *bundle.Bundle) (map[int]throughput, error) {
	out := map[int]throughput{}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		type key struct {
			point int32
			step  int64
		}
		slowest := map[key]int64{}
		work := map[int32]float64{}
		for row, err := range bundle.Rows[record.Step](b, info.Index, bundle.Steps) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			if row.Phase != record.Measure || !row.Synced {
				continue
			}
			at := key{row.Point, row.Step}
			slowest[at] = max(slowest[at], row.End-row.Start)
			work[row.Point] += float64(cmp.Or(row.Tokens, row.Samples))
		}
		took := map[int32]float64{}
		for at, ns := range slowest {
			took[at.point] += float64(ns) / 1e9
		}
		for point, tokens := range work {
			if v := tokens / took[point]; v > 0 && !math.IsInf(v, 0) {
				one := out[int(point)]
				out[int(point)] = throughput{append(one.values, v), append(one.launches, info.Index)}
			}
		}
	}
	return out, nil
}
