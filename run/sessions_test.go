package run

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
	"assay/spec"
	"assay/target"
	"assay/unit"
	"assay/workload"
	"assay/workload/session"
)

func sessionPlan(t *testing.T, url, workload, load string) plan.Plan {
	t.Helper()
	p := planOf(t, fmt.Sprintf(`workload: {model: sim, sequenceLengthMix: [{inputTokens: 20, outputTokens: 6, weight: 1}], %s}, target: {url: %q, timeout: 20s}, load: %s`, workload, url, load))
	p.Launches = p.Launches[:1]
	return p
}

// stepsOf groups the steps of a bundle by session.
func stepsOf(t *testing.T, b *bundle.Bundle) map[int64][]record.SessionStep {
	t.Helper()
	groups := map[int64][]record.SessionStep{}
	for _, row := range rows[record.SessionStep](t, b, bundle.Sessions) {
		groups[row.Session] = append(groups[row.Session], row)
	}
	for _, list := range groups {
		slices.SortFunc(list, func(a, b record.SessionStep) int { return int(a.Step - b.Step) })
	}
	return groups
}

// Sessions against the simulator, whose truth is 20 ms to the first token and
// 4 ms for each of five more: the records of each step fit each other and the
// truth, and the metrics are what the steps sum to.
func TestSessionsAgainstTheTruth(t *testing.T) {
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 20 * time.Millisecond, ITL: 4 * time.Millisecond}})
	p := sessionPlan(t, url, `session: {turns: 3, systemTokens: 10, thinkTime: 30ms, tool: {every: 2, time: 50ms, tokens: 8}, fork: {every: 3}, limit: 8}`,
		`{concurrency: [4], duration: 30s, warmup: {}}`)
	b := carryOut(t, p)
	const truth = int64(40 * time.Millisecond)
	requests := map[int64]record.Request{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		requests[r.ID] = r
	}
	complete, generations := 0, 0
	for n, steps := range stepsOf(t, b) {
		// Turn, turn, tool, two branches, and the turn in which they meet.
		if len(steps) != 6 || steps[5].Result != record.OK {
			if steps[0].Began == record.Measure {
				t.Errorf("measured session %d has %d steps", n, len(steps))
			}
			continue
		}
		complete++
		for i, step := range steps {
			due := step.Start
			for name := range strings.FieldsSeq(step.Parents) {
				var before int
				fmt.Sscan(name, &before)
				due = max(due, steps[before].End)
			}
			if step.Due != due+step.Think {
				t.Errorf("session %d, step %d is due at %d, want %d", n, i, step.Due, due+step.Think)
			}
			if i == 2 {
				if step.Kind != record.StepTool || step.End-step.Due != int64(50*time.Millisecond) || step.Real {
					t.Errorf("tool %+v", step)
				}
				continue
			}
			generations++
			r := requests[*step.Request]
			if r.Due != step.Due || r.Done != step.End || r.Phase != step.Phase || r.Result != record.OK {
				t.Errorf("session %d, step %d is %+v, its request %+v", n, i, step, r)
			}
			if took := step.End - step.Due; took < truth-int64(time.Millisecond) || took > 10*truth {
				t.Errorf("session %d, step %d took %v, the truth is 40 ms", n, i, time.Duration(took))
			}
		}
	}
	if complete < 8 {
		t.Fatalf("%d complete sessions, want at least 8", complete)
	}

	launch, err := metric.ReadLaunch(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	point := launch.Points[0]
	total := metric.SessionTime.Of.(metric.Many)(point)
	parts := [][]float64{metric.SessionGeneration.Of.(metric.Many)(point), metric.SessionTool.Of.(metric.Many)(point), metric.SessionThink.Of.(metric.Many)(point)}
	if len(total) != 8 {
		t.Fatalf("%d measured sessions, want 8", len(total))
	}
	for i := range total {
		if sum := parts[0][i] + parts[1][i] + parts[2][i]; math.Abs(sum-total[i]) > 1e-6 {
			t.Errorf("session %d took %v s, its parts sum to %v", i, total[i], sum)
		}
		// Four generations of 40 ms, a tool of 50 ms and two pauses of 30 ms.
		if total[i] < 0.268 || total[i] > 2.7 || math.Abs(parts[1][i]-0.05) > 1e-9 || math.Abs(parts[2][i]-0.06) > 1e-9 {
			t.Errorf("session %d: %v s, tools %v, thinking %v", i, total[i], parts[1][i], parts[2][i])
		}
	}
	first, later := 0, 0
	for r := range point.Measured {
		first += len(metric.FirstTurnTTFT.Each(r))
		later += len(metric.LaterTurnTTFT.Each(r))
	}
	// Sessions beyond the limit keep up the load: their steps are measured, too.
	turns, asked, tools := metric.SessionTurns.Of.(metric.Many)(point), metric.StepGeneration.Of.(metric.Many)(point), metric.StepTool.Of.(metric.Many)(point)
	if first < 8 || later < 32 || turns[0] != 5 || len(asked) != first+later || len(tools) < 8 || len(tools) > first {
		t.Errorf("%d first and %d later turns, %d generations, %d tools, %v turns a session", first, later, len(asked), len(tools), turns)
	}
	if failed, all := metric.SessionErrorRate.Of.(metric.Share)(point); failed != 0 || all != 8 {
		t.Errorf("%d of %d sessions failed", failed, all)
	}
	if rate, ok := metric.SessionRate.Whole(point); !ok || rate <= 0 {
		t.Errorf("session rate %v, %v", rate, ok)
	}
}

// A listener answers with a number and remembers what it was asked.
type listener struct {
	mu     sync.Mutex
	asked  [][]record.Message
	bodies []string
}

func (l *listener) serve(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct {
			Messages []struct{ Role, Content string }
		}
		if r.Method != http.MethodPost || json.Unmarshal(body, &in) != nil {
			http.NotFound(w, r)
			return
		}
		if strings.Contains(string(body), preflightPrompt) {
			reply(w)
			return
		}
		var said []record.Message
		for _, m := range in.Messages {
			said = append(said, record.Message{Role: m.Role, Content: m.Content})
		}
		l.mu.Lock()
		l.asked, l.bodies = append(l.asked, said), append(l.bodies, string(body))
		l.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n")
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"heard %d\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", len(said))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// distinct is the different bodies that came.
func (l *listener) distinct() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.bodies)
	slices.Sort(list)
	return slices.Compact(list)
}

// With recorded history two runs of a plan send the same bytes; with live history
// the target's own words come back to it, without its reasoning.
func TestHistories(t *testing.T) {
	t.Parallel()
	run := func(history string) *listener {
		l := &listener{}
		p := sessionPlan(t, l.serve(t), `session: {turns: 3, systemTokens: 4, history: `+history+`, limit: 3}`, `{concurrency: [1], duration: 30s, warmup: {}}`)
		b := carryOut(t, p)
		for _, r := range rows[record.Request](t, b, bundle.Requests) {
			if r.Text != "" {
				t.Errorf("the answer %q was kept though nobody asked for it", r.Text)
			}
		}
		return l
	}
	a, b := run("recorded"), run("recorded")
	// The first three sessions have three turns each; what follows was cut.
	if x, y := a.bodies[:9], b.bodies[:9]; !slices.Equal(x, y) {
		t.Errorf("two runs sent\n%q\nand\n%q", x, y)
	}
	if n := len(a.distinct()); n < 9 {
		t.Errorf("%d different requests, want at least 9", n)
	}
	roles := func(said []record.Message) (list []string) {
		for _, m := range said {
			list = append(list, m.Role)
		}
		return list
	}
	third := a.asked[2]
	if want := []string{"system", "user", "assistant", "user", "assistant", "user"}; !slices.Equal(roles(third), want) {
		t.Errorf("the third turn has %v, want %v", roles(third), want)
	}
	if strings.Contains(third[2].Content, "heard") || len(strings.Fields(third[2].Content)) != 6 {
		t.Errorf("recorded history says %q", third[2].Content)
	}
	live := run("live").asked[2]
	if live[2].Content != "heard 2" || live[4].Content != "heard 4" || live[1].Content != third[1].Content {
		t.Errorf("live history says %+v", live)
	}
}

// Conversations of a ShareGPT file are played to their end.
func TestDatasetSessions(t *testing.T) {
	text := `[{"conversations": [{"from": "system", "value": "be brief"}, {"from": "human", "value": "one"}, {"from": "gpt", "value": "first"}, {"from": "human", "value": "two"}, {"from": "gpt", "value": "second"}]},
		{"conversations": [{"from": "gpt", "value": "hello"}, {"from": "human", "value": "three"}]}]`
	path, digest := write(t, "chats.json", text)
	l := &listener{}
	dataset := fmt.Sprintf(`datasetRef: "chats@%s", prompt: {dataset: {path: %q, format: sharegpt}}`, digest, path)
	p := sessionPlan(t, l.serve(t), dataset+`, session: {from: dataset, thinkTime: 5ms, limit: 1}`, `{concurrency: [1], duration: 30s, warmup: {}}`)
	b := carryOut(t, p)
	if got := l.asked[1]; len(got) != 4 || got[0].Content != "be brief" || got[2].Content != "first" || got[3].Content != "two" {
		t.Errorf("the second turn says %+v", got)
	}
	data, err := b.ReadFile("raw/launch-00/sessions-00.json")
	if err != nil {
		t.Fatal(err)
	}
	var played Played
	if err := json.Unmarshal(data, &played); err != nil || played.Sessions != 1 || played.LeftOut != 1 || played.From != "dataset" || played.History != "recorded" {
		t.Errorf("played %+v (%v)", played, err)
	}
	single := planOf(t, `workload: {model: m, `+dataset+`}, `+endpoint+`, load: {concurrency: [1]}`)
	if _, err := accept(single); err == nil || !strings.Contains(err.Error(), "from: dataset") {
		t.Errorf("rows with a system text as single requests: %v", err)
	}
}

// Sessions of a trace begin when they were recorded and wait for each other as
// they were recorded to; in a closed loop they come one after the other.
func TestTraceSessions(t *testing.T) {
	t.Parallel()
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 2 * time.Millisecond}})
	path, err := filepath.Abs("../workload/trace/testdata/otel.txt")
	if err != nil {
		t.Fatal(err)
	}
	trace := fmt.Sprintf(`traceRef: %q, trace: {format: otel}`, path)
	b := carryOut(t, sessionPlan(t, url, `concurrencyModel: open_loop, session: {from: trace}`, `{`+trace+`, duration: 10s, warmup: {}}`))
	groups := stepsOf(t, b)
	if len(groups) != 2 || groups[0][0].Name != "t1" || groups[1][0].Start-groups[0][0].Start != int64(20*time.Millisecond) {
		t.Fatalf("sessions %+v", groups)
	}
	// a, then a tool of 250 ms each before b and c, then d after both.
	steps := groups[0]
	if len(steps) != 6 || steps[1].Kind != record.StepTool || steps[1].End-steps[1].Due != int64(250*time.Millisecond) || steps[5].Parents != "2 4" {
		t.Errorf("steps %+v", steps)
	}
	data, err := b.ReadFile("raw/launch-00/trace-00.json")
	if err != nil {
		t.Fatal(err)
	}
	var used Replayed
	if err := json.Unmarshal(data, &used); err != nil || used.Used != 5 || used.Share != 1 {
		t.Errorf("used %+v (%v)", used, err)
	}
	closed := carryOut(t, sessionPlan(t, url, `session: {from: trace, limit: 2}`, `{`+trace+`, concurrency: [1], duration: 30s, warmup: {}}`))
	names := []string{}
	for n := range int64(2) {
		names = append(names, stepsOf(t, closed)[n][0].Name)
	}
	if !slices.Equal(names, []string{"t1", "t2"}) {
		t.Errorf("a closed loop plays %v", names)
	}
}

// A program that really runs takes its own time, and what it prints is what the
// next turn says where history is live.
func TestToolCommand(t *testing.T) {
	l := &listener{}
	p := sessionPlan(t, l.serve(t), `session: {turns: 2, history: live, limit: 1, tool: {command: [sh, -c, "cat; echo :$ASSAY_SESSION:$ASSAY_STEP"]}}`, `{concurrency: [1], duration: 30s, warmup: {}}`)
	steps := stepsOf(t, carryOut(t, p))[0]
	if len(steps) != 3 || !steps[1].Real || steps[1].Result != record.OK || steps[1].End <= steps[1].Begun {
		t.Fatalf("steps %+v", steps)
	}
	if got := l.asked[1]; len(got) != 3 || !strings.HasPrefix(got[2].Content, "heard 1:0:1\n\n\n") {
		t.Errorf("the second turn says %+v", got)
	}
	p = sessionPlan(t, l.serve(t), `session: {turns: 2, limit: 2, tool: {command: [sh, -c, exit 3]}}`, `{concurrency: [1], duration: 30s, warmup: {}}`)
	b := carryOut(t, p)
	if steps := stepsOf(t, b)[0]; len(steps) != 2 || steps[1].Result != record.ToolFailed || !strings.Contains(steps[1].Error, "exit status 3") {
		t.Errorf("a tool that fails leaves %+v", steps)
	}
	launch, err := metric.ReadLaunch(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if failed, all := metric.SessionErrorRate.Of.(metric.Share)(launch.Points[0]); failed != 2 || all != 2 {
		t.Errorf("%d of %d sessions failed, want both", failed, all)
	}
	for want, command := range map[string][]string{"took longer than 50ms": {"sleep", "20"}, "no such file": {"/no/such"}} {
		tool := realTool(spec.SessionTool{Command: command, Timeout: unit.Duration(50 * time.Millisecond)})
		if answer, err := tool(t.Context(), session.Session{}, 0, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v answers %q, %v; want %q", command, answer, err, want)
		}
	}
}

// Two plans of one document make the same bytes, wherever sessions come from,
// and every part of a plan makes the same as the whole.
func TestSessionsAreReproducible(t *testing.T) {
	path, err := filepath.Abs("../workload/trace/testdata/weka.txt")
	if err != nil {
		t.Fatal(err)
	}
	chats, digest := write(t, "chats.jsonl", `{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}`)
	dialect, err := target.Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	for name, fields := range map[string][2]string{
		"synthetic": {`prompt: {distribution: lognormal, spread: 0.5}, session: {turns: 4, thinkTime: 1s, systemTokens: 9, tool: {time: 1s, tokens: 5}, fork: {every: 2, branches: 3}}`, ``},
		"dataset":   {fmt.Sprintf(`datasetRef: %q, prompt: {dataset: {path: %q}}, session: {from: dataset}`, digest, chats), ``},
		"trace":     {`session: {from: trace}`, fmt.Sprintf(`traceRef: %q, trace: {format: weka}, `, path)},
	} {
		bytesOf := func(shard, shards int) map[int64]string {
			p := sessionPlan(t, "http://127.0.0.1:1", fields[0], `{`+fields[1]+`concurrency: [4]}`)
			p, err := p.Shard(shard, shards)
			if err != nil {
				t.Fatal(err)
			}
			source, err := newSessions(p, &recordings{}, plan.Seed(p.Launches[0].Seed, "workload", 0))
			if err != nil {
				t.Fatal(err)
			}
			out := map[int64]string{}
			for n := int64(shard); n < 12; n += int64(shards) {
				s := source.session(n)
				for i, step := range s.Steps {
					if step.Kind != session.Generate {
						continue
					}
					call := sessionCall(p.Points[0], n, s, i, s.Recorded(), workload.NewBuilder(nil))
					body, err := dialect.Encode(call, target.Ask{Model: "m"})
					if err != nil {
						t.Fatal(err)
					}
					out[call.ID] = fmt.Sprint(string(body), step.Think)
				}
			}
			return out
		}
		whole, again := bytesOf(0, 1), bytesOf(0, 1)
		parts := bytesOf(0, 2)
		for id, body := range bytesOf(1, 2) {
			if parts[id] != "" {
				t.Errorf("%s: request %d belongs to both parts", name, id)
			}
			parts[id] = body
		}
		for id, body := range whole {
			if body != again[id] || body != parts[id] {
				t.Errorf("%s: request %d differs:\n%s\n%s\n%s", name, id, body, again[id], parts[id])
			}
		}
		if len(whole) != len(parts) || len(whole) < 12 {
			t.Errorf("%s: %d requests in the whole, %d in the parts", name, len(whole), len(parts))
		}
	}
}

func TestSessionRefusals(t *testing.T) {
	f := func(target, workload, want string) {
		t.Helper()
		_, err := accept(planOf(t, `workload: {model: m, `+workload+`}, target: {url: "http://127.0.0.1:1"`+target+`}, load: {concurrency: [1]}`))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", workload, err, want)
		}
	}
	f("", `session: {}`, "")
	f(", api: tgi", `session: {}`, "want a chat API")
	f("", fmt.Sprintf(`session: {from: dataset}, datasetRef: "sha256:%s", prompt: {dataset: {path: none.json}}`, strings.Repeat("0", 64)), "none.json")
}
