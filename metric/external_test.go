package metric

import (
	"math"
	"testing"

	"assay/record"
)

// Two tools and the model share the time of a session, and nothing is counted twice: what
// a session waited for adds up to its time.
func TestExternals(t *testing.T) {
	session := func(number, search int64, tool string) *Session {
		steps := chat(number, 0)
		steps[1].Tool, steps[1].Real = tool, true
		steps[1].End += search * ms
		for i := 2; i < 4; i++ {
			steps[i].Due, steps[i].End = steps[i].Due+search*ms, steps[i].End+search*ms
		}
		return &Session{Phase: record.Measure, Steps: steps}
	}
	failed := session(9, 0, "search")
	failed.Steps = failed.Steps[:2]
	failed.Steps[1].Result = record.ToolFailed
	launch := func(sessions ...*Session) judgedPoint {
		return judgedPoint{calls: (&Point{Sessions: sessions}).calls()}
	}
	samples := []judgedPoint{
		launch(session(1, 0, "search"), session(2, 100, "search"), failed),
		launch(session(1, 20, "search"), session(2, 40, "database")),
	}
	rows, err := externals(samples, .95)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%+v, %v; want the model and two tools", rows, err)
	}
	model, database, search := rows[0], rows[1], rows[2]
	if model.Tool != "" || !model.Real || database.Tool != "database" || search.Tool != "search" {
		t.Fatalf("rows are %+v", rows)
	}
	if search.Calls != 3 || search.Failed != 1 || math.Abs(search.Longest-.15) > 1e-12 {
		t.Errorf("search: %+v, want 3 calls, 1 failed, the longest of 150 ms", search)
	}
	if math.Abs(search.PerCall.Value-(.1+.07)/2) > 1e-12 || !search.PerCall.Interval.Bounded() {
		t.Errorf("a search takes %+v, want 85 ms with an interval", search.PerCall)
	}
	// 100 ms of each session of the first launch, 35 ms of each of the second.
	if got := search.PerSession.Value; math.Abs(got-(.1+.035)/2) > 1e-12 {
		t.Errorf("searches of a session take %v", got)
	}
	think, whole := .05, (.55+.53)/2
	if sum := model.Waited.Value + database.Waited.Value + search.Waited.Value + think; math.Abs(sum-whole) > 1e-12 {
		t.Errorf("the parts add up to %v, the session takes %v", sum, whole)
	}
	if model.PerSession.Value <= model.Waited.Value {
		t.Errorf("the model worked %v in branches and was waited for %v", model.PerSession.Value, model.Waited.Value)
	}
	plain := chat(1, 0)[:1]
	plain[0].Steps = 1
	if rows, err := externals([]judgedPoint{launch(&Session{Phase: record.Measure, Steps: plain})}, .95); rows != nil || err != nil {
		t.Errorf("sessions without tools have %v, %v", rows, err)
	}
}
