package watch

import (
	"math"
	"time"

	"assay/plan"
)

// pointProgress is how far the point has come: by time, or by requests where
// those end it first.
func (v *Live) pointProgress(now time.Time) Progressed {
	a := &v.at
	if a.number == 0 || a.begun.IsZero() {
		return Progressed{}
	}
	total := v.expected(a.point)
	elapsed := now.Sub(a.begun)
	p := Progressed{}
	if total > 0 {
		p = Progressed{min(1, elapsed.Seconds()/total.Seconds()), max(0, total-elapsed), true}
	}
	if most := int64(a.point.Requests); most > 0 && !a.window.IsZero() {
		share := min(1, float64(a.measured)/float64(most))
		left := time.Duration(math.MaxInt64)
		if took := now.Sub(a.window); a.measured > 0 {
			left = time.Duration(float64(took) * (1/share - 1))
		}
		if !p.Known || left < p.Left {
			p = Progressed{max(share, p.Share), left, a.measured > 0}
		}
	}
	if !a.closed.IsZero() {
		p = Progressed{1, max(0, a.point.Cooldown.Std()-now.Sub(a.closed)), true}
	}
	return p
}

// took is what points that have ended took, by which those to come are judged.
type took struct {
	points           map[int]time.Duration // by index, the last time it was run
	planned, counted time.Duration         // of points that end with their requests: as planned, and as it was
}

// leavePoint notes how long the point under way took.
func (v *Live) leavePoint(now time.Time) {
	if v.at.number == 0 || v.at.begun.IsZero() {
		return
	}
	v.finish(now)
	end := now
	if !v.at.closed.IsZero() && v.at.closed.Add(v.at.point.Cooldown.Std()).Before(now) {
		end = v.at.closed.Add(v.at.point.Cooldown.Std()) // the launch has been closed since
	}
	if v.took.points == nil {
		v.took.points = map[int]time.Duration{}
	}
	v.took.points[v.at.point.Index] = end.Sub(v.at.begun)
	if v.at.point.Requests > 0 {
		v.took.planned += v.planned(v.at.point)
		v.took.counted += end.Sub(v.at.begun)
	}
}

// expected is how long a point will take: what it took in another launch, or what
// its plan says; where requests may end it early, as much less as it was so far.
func (v *Live) expected(point plan.Point) time.Duration {
	if before, known := v.took.points[point.Index]; known {
		return before
	}
	planned := v.planned(point)
	if point.Requests > 0 && v.took.planned > 0 {
		return time.Duration(float64(planned) * v.took.counted.Seconds() / v.took.planned.Seconds())
	}
	return planned
}

// planned is how long a point will take as far as its plan says.
func (v *Live) planned(point plan.Point) time.Duration {
	for _, e := range v.plan.Expected.PerPoint {
		if e.Point == point.Index {
			return time.Duration(e.Seconds * float64(time.Second))
		}
	}
	return point.Warmup.Std() + point.Duration.Std() + point.Cooldown.Std()
}

// runProgress is how far the run has come: what the plan expects of the points to
// come, and for each launch to come what this one took until its first point.
func (v *Live) runProgress(now time.Time) Progressed {
	if v.launches == 0 {
		return Progressed{}
	}
	if v.stage == Judging {
		return Progressed{Share: 1, Known: true}
	}
	left, known := v.leftOfLaunch(now)
	for _, l := range v.plan.Launches[min(v.launches, len(v.plan.Launches)):] {
		whole, ok := v.whole(l)
		left, known = left+whole+v.overhead, known && ok
	}
	left += v.calibrateTook // after the last launch, as before the first
	elapsed := now.Sub(v.begun)
	return Progressed{elapsed.Seconds() / max(1e-9, (elapsed+left).Seconds()), left, known}
}

// leftOfLaunch is what remains of the launch under way.
func (v *Live) leftOfLaunch(now time.Time) (left time.Duration, known bool) {
	whole, known := v.whole(v.launch)
	if v.plan.Search != nil {
		if !v.loadAt.IsZero() {
			whole = max(0, whole-now.Sub(v.loadAt))
		}
		return whole, known
	}
	if v.at.number == 0 {
		return whole, known
	}
	p := v.pointProgress(now)
	left, known = p.Left, p.Known
	for _, index := range v.launch.Order[min(v.at.number, len(v.launch.Order)):] {
		point, _ := v.plan.PointByIndex(index)
		one := v.expected(point)
		left, known = left+one, known && one > 0
	}
	return left, known
}

// whole is how long the points of a launch will take.
func (v *Live) whole(l plan.Launch) (total time.Duration, known bool) {
	if v.plan.Search != nil {
		n := max(1, len(v.plan.Launches))
		return time.Duration(v.plan.Expected.Seconds / float64(n) * float64(time.Second)), true
	}
	known = true
	for _, index := range l.Order {
		point, _ := v.plan.PointByIndex(index)
		one := v.expected(point)
		total, known = total+one, known && one > 0
	}
	return total, known
}
