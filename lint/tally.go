package lint

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// A Tally is what one pass over the requests of the completed launches counts.
// Checks read it instead of the records: a bundle may hold millions of them, and
// sixty checks must not read them sixty times.
type Tally struct {
	Points []PointTally
}

// A PointTally is one point of one launch.
type PointTally struct {
	Launch, Point int
	Measured      int // requests due in the measured window
	Outcomes      map[record.Outcome]int
}

// requestRow is what the tally reads of a request.
type requestRow struct {
	Point  int32          `parquet:"point,delta"`
	Phase  record.Phase   `parquet:"phase,dict"`
	Result record.Outcome `parquet:"outcome,dict"`
}

func tally(b *bundle.Bundle, p plan.Plan) (Tally, error) {
	var out Tally
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		points := map[int32]*PointTally{}
		for r, err := range bundle.Rows[requestRow](b, info.Index, bundle.Requests) {
			if err != nil {
				return out, fmt.Errorf("launch %d: %w", info.Index, err)
			}
			if r.Phase != record.Measure {
				continue
			}
			at := points[r.Point]
			if at == nil {
				at = &PointTally{Launch: info.Index, Point: int(r.Point), Outcomes: map[record.Outcome]int{}}
				points[r.Point] = at
			}
			at.Measured++
			at.Outcomes[r.Result]++
		}
		for _, point := range p.Points {
			if at := points[int32(point.Index)]; at != nil {
				out.Points = append(out.Points, *at)
			}
		}
	}
	return out, nil
}
