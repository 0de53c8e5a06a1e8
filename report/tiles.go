package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A Tile is one number that a reader takes away.
type Tile struct {
	Name string
	Of   string // the point that it is of
	Unit unit.Unit
	stats.Estimate

	Spread *metric.LaunchSpread // what the launches gave; nil where the number does not come from several
}

// mostTiles is how many fit beside each other.
const mostTiles = 6

// Text is the number as people read it.
func (t Tile) Text() string { return unit.Format(t.Value, t.Unit) }

// Range is its interval; empty where it has none.
func (t Tile) Range() string {
	if !t.Interval.Bounded() {
		return ""
	}
	full := unit.FormatInterval(t.Value, t.Interval.Lo, t.Interval.Hi, t.Unit)
	if i := strings.Index(full, " ["); i > 0 {
		return full[i+1:]
	}
	return ""
}

// Tiles are the numbers that the run is made for, each with the point that it is of.
// What the sample cannot bound is none of them, nor what may not be quoted.
func (r Report) Tiles() []Tile {
	list := slices.Concat(r.scoreTiles(), r.servingTiles(), r.trainingTiles(), r.collectiveTiles(), r.pairTiles(), r.probeTiles())
	return list[:min(len(list), mostTiles)]
}

// tileLine is the tiles in one sentence.
func (r Report) tileLine() string {
	var parts []string
	for _, t := range r.Tiles() {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", t.Name, strings.TrimSpace(t.Text()+" "+t.Range()), t.Of))
	}
	return strings.Join(parts, " · ")
}

// tilesBlock is the tiles as a table.
func (r Report) tilesBlock() Block {
	b := Block{Head: []string{"result", "median of launches (least to greatest)", "mean [interval]", "at"}}
	for _, t := range r.Tiles() {
		b.Rows = append(b.Rows, []string{t.Name, Dash(strings.TrimPrefix(t.Median(), "median ")), strings.TrimSpace(t.Text() + " " + t.Range()), t.Of})
	}
	return withoutEmpty(b)
}

// A tileOf is a tile that is looked up among the estimates of a point.
type tileOf struct {
	name      string
	metric    metric.Metric
	statistic string
	point     plan.Point
}

func (r Report) tilesOf(side string, wanted []tileOf) (list []Tile) {
	own := r.Estimates.Of(side)
	for _, one := range wanted {
		row, ok := own.Find(one.metric.ID, one.statistic, one.point.Index)
		if !ok || !certified(row) || row.Void != "" {
			continue
		}
		list = append(list, Tile{Name: one.name, Of: tilePlace(one.point.Name, side), Unit: row.Unit, Estimate: row.Estimate, Spread: row.Spread()})
	}
	return list
}

// servingTiles are the figures of the point with the highest throughput, and latency
// where nobody waits.
func (r Report) servingTiles() []Tile {
	side := r.SideNames()[0]
	points := slices.DeleteFunc(r.ServingPoints(), func(p plan.Point) bool { return !Measured(r.Estimates, p.Index) })
	if len(points) == 0 || r.Plan.AsksOnce() {
		return nil
	}
	peak := r.peak(points, side, metric.OutputThroughput, metric.RequestThroughput)
	wanted := []tileOf{
		{"output throughput", metric.OutputThroughput, "value", peak},
		{"requests", metric.RequestThroughput, "value", peak},
		{"TTFT p50", metric.TTFT, "p50", peak},
		{"TPOT p50", metric.TPOT, "p50", peak},
		{"E2E p50", metric.E2E, "p50", peak},
	}
	if len(points) > 1 {
		wanted = append(wanted, tileOf{"TTFT p50, lowest load", metric.TTFT, "p50", points[0]})
	}
	return r.headlineFirst(r.tilesOf(side, wanted))
}

// headlineFirst puts a latency in front where the spec chose it before the run, of the
// point that may be quoted for it.
func (r Report) headlineFirst(list []Tile) []Tile {
	if r.Plan.Intent().Headline != spec.HeadlineLatency {
		return list
	}
	quoted := ""
	if r.Claims != nil {
		if head := headClaim(r.Claims.Claims); head != nil && head.Headline {
			quoted = tilePlace(head.Point, head.Side)
		}
	}
	lead := -1
	for i, t := range list {
		if strings.HasPrefix(t.Name, metric.TTFT.Name) && (lead < 0 || t.Of == quoted) {
			lead = i
		}
	}
	if lead <= 0 {
		return list
	}
	return slices.Insert(slices.Delete(slices.Clone(list), lead, lead+1), 0, list[lead])
}

// tilePlace is the point that a tile is of, and the side in a run of several.
func tilePlace(point, side string) string {
	if side == "" {
		return point
	}
	return point + ", " + side
}

// trainingTiles are the figures of the world that trains fastest, and the communication
// of the largest.
func (r Report) trainingTiles() []Tile {
	points := r.pointsOf(plan.KindSteps)
	if len(points) == 0 {
		return nil
	}
	peak := r.peak(points, "", metric.TokensPerSecond, metric.SamplesPerSecond)
	largest := slices.MaxFunc(points, func(a, b plan.Point) int { return a.Ranks - b.Ranks })
	through := tileOf{"throughput", metric.TokensPerSecond, "value", peak}
	if _, ok := r.Estimates.Find(metric.TokensPerSecond.ID, "value", peak.Index); !ok {
		through.metric = metric.SamplesPerSecond // of pictures, which have no tokens
	}
	return r.tilesOf("", []tileOf{
		through,
		{"step time p50", metric.StepTime, "p50", peak},
		{"MFU", metric.TrainingMFU, "value", peak},
		{"communication hidden p50", metric.CommunicationOverlap, "p50", largest},
		{"exposed communication p50", metric.ExposedCommunication, "p50", largest},
	})
}

// pointsOf are the points of one kind.
func (r Report) pointsOf(kind plan.Kind) []plan.Point {
	return slices.DeleteFunc(slices.Clone(r.Plan.Points), func(p plan.Point) bool { return p.Kind() != kind })
}

// peak is the point with the highest value of the first of the metrics that it has.
func (r Report) peak(points []plan.Point, side string, by ...metric.Metric) plan.Point {
	own := r.Estimates.Of(side)
	best, most := points[0], 0.
	for _, p := range points {
		for _, m := range by {
			if row, ok := own.Find(m.ID, "value", p.Index); ok {
				if row.Value > most {
					best, most = p, row.Value
				}
				break
			}
		}
	}
	return best
}

// collectiveTiles are, of each operation, the highest bandwidth and the time of the
// smallest message.
func (r Report) collectiveTiles() (list []Tile) {
	if r.Collectives == nil {
		return nil
	}
	var fastest, smallest []collectives.Row
	for _, row := range r.Collectives.Rows {
		if row.BusBW == nil {
			continue
		}
		i := slices.IndexFunc(fastest, func(f collectives.Row) bool { return f.Op == row.Op })
		if i < 0 {
			fastest, smallest = append(fastest, row), append(smallest, row)
			continue
		}
		if row.BusBW.Value > fastest[i].BusBW.Value {
			fastest[i] = row
		}
		if row.Bytes < smallest[i].Bytes || row.Bytes == smallest[i].Bytes && row.Time.Value < smallest[i].Time.Value {
			smallest[i] = row
		}
	}
	for i, row := range fastest {
		list = append(list,
			Tile{Name: Words(row.Op) + ", peak bus bandwidth", Of: collectiveOf(row), Unit: unit.BytePerSecond, Estimate: *row.BusBW},
			Tile{Name: Words(row.Op) + ", smallest message", Of: collectiveOf(smallest[i]), Unit: unit.Second, Estimate: smallest[i].Time})
	}
	return list
}

func collectiveOf(row collectives.Row) string {
	return fmt.Sprintf("%v, %s, %s", unit.Bytes(row.Bytes), ranksText(row.Ranks), row.Algorithm)
}

// pairTiles are the typical link between two ranks of the largest world.
func (r Report) pairTiles() []Tile {
	points := r.pointsOf(plan.KindPairs)
	if len(points) == 0 {
		return nil
	}
	last := points[len(points)-1]
	return r.tilesOf("", []tileOf{{"pair latency p50", metric.PairLatency, "p50", last}, {"pair bandwidth p50", metric.PairBandwidth, "p50", last}})
}

// probeTiles are the best that each probe found, one for each thing that it measures.
func (r Report) probeTiles() (list []Tile) {
	if r.Hardware == nil {
		return nil
	}
	var best []hardware.Row
	for _, row := range r.Hardware.Rows {
		i := slices.IndexFunc(best, func(b hardware.Row) bool { return b.Probe == row.Probe && b.What == row.What })
		switch {
		case i < 0:
			best = append(best, row)
		case (row.Value < best[i].Value) == (row.Unit == unit.Second):
			best[i] = row
		}
	}
	for _, row := range best {
		list = append(list, Tile{Name: row.Probe + " " + row.What, Of: strings.TrimPrefix(probeName(row), row.Probe+" "), Unit: row.Unit, Estimate: row.Estimate})
	}
	return list
}
