package live

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/unit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test ./live -update writes it anew:\n%s", name, got)
	}
}

func ptr(v float64) *float64 { return &v }

// scene is a run in the middle of a measured window.
func scene() watch.Snapshot {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	s := watch.Snapshot{
		Name: "chat-baseline", Stage: watch.Measuring, Elapsed: 272 * time.Second, Launch: 2, Launches: 5, Side: "candidate",
		Point: plan.Point{Index: 1, Name: "rate=50", Rate: 50, Arrival: "poisson", MaxInFlight: 1000}, Number: 2, Of: 3,
		PointProgress: watch.Progressed{Share: .61, Left: 23400 * time.Millisecond, Known: true},
		RunProgress:   watch.Progressed{Share: .38, Left: 440 * time.Second, Known: true},
		Offered:       49.83, Achieved: 49.7, OutputTokens: 15931, InFlight: 1012,
		TTFT: watch.Ladder{N: 412, P50: .0412, P90: .0521, P99: .1881}, ITL: watch.Ladder{N: 5000, P50: .0101, P90: .0104, P99: .000912},
		E2E:      watch.Ladder{Need: 368, N: 412, P50: 1.31, P90: 1.5, P99: 2.25},
		Requests: 12045, Failed: 31, AtPoint: 800, Errors: []watch.ErrorKind{{Kind: record.HTTPError, Count: 30}, {Kind: record.Timeout, Count: 1}},
		Steady: watch.Steady{State: watch.Level, Rests: "TTFT and answers, last 9 s against 9 s before"},
		Client: watch.ClientNow{Requests: 800, LagP99: ptr(.00012), CPUShare: ptr(.11), CPUShareMax: ptr(.17), GCPauseMax: ptr(.0002), Pressure: ptr(.012)},
		Server: []watch.ServerGauge{{What: "KV cache in use", Sum: .62, Mean: .31}, {What: "requests running", Sum: 61, Mean: 30.5}, {What: "requests waiting"}},
	}
	for i := range 40 {
		s.TTFTs = append(s.TTFTs, .04+.01*math.Sin(float64(i)/4))
		s.Answers = append(s.Answers, float64(50+i%5))
		s.Tokens = append(s.Tokens, float64(300*i))
	}
	s.TTFTs[12] = math.NaN()
	for i := range 4 {
		s.GPUs = append(s.GPUs, watch.GPU{ID: string(rune('a' + i)), Utilisation: ptr(.9), Power: ptr(412.4), Temperature: ptr(61)})
	}
	for i, text := range []string{"launch 1: rate=50", "request 7: http_error with status 503: busy\nlater\x1b[31m", "launch 2: rate=100"} {
		s.Log = append(s.Log, watch.LogLine{At: noon.Add(time.Duration(i) * time.Minute), Text: text})
	}
	return s
}

// finished is scene with objectives and nine points behind it.
func finished() watch.Snapshot {
	s := scene()
	standing := func(p99 float64) []watch.Standing {
		return []watch.Standing{
			{Objective: "TTFT p99 ≤ 300 ms", Now: p99, Unit: unit.Second, Met: p99 <= .3, Have: 412, Need: 368},
			{Objective: "error rate ≤ 1 %", Now: .004, Unit: unit.Share, Met: true},
		}
	}
	s.Objectives = append(standing(.188), watch.Standing{Objective: "E2E p99.9 ≤ 5s", Now: math.NaN(), Unit: unit.Second, Have: 412, Need: 3688})
	for i := range 9 {
		rate := float64(25 * (1 + i%3))
		p := watch.FinishedPoint{
			Launch: 1 + i/3, Side: "candidate", Point: plan.Point{Name: fmt.Sprintf("rate=%g", rate), Rate: rate},
			RequestsPerSecond: rate * .99, TokensPerSecond: rate * 128, TTFT: watch.Ladder{N: 400, P50: .04, P90: rate / 500},
			Requests: 400, Objectives: standing(rate / 200),
		}
		if i == 4 {
			p.Failed, p.TTFT.P90, p.Objectives[0].Now = 17, math.NaN(), math.NaN()
		}
		s.Finished = append(s.Finished, p)
	}
	return s
}

// frameOf is a frame without its colours.
func frameOf(s watch.Snapshot, width, height int, ascii bool) string {
	m := &model{screen: screen{look{ascii}, width, height}, snapshot: s, keys: true}
	return ansi.Strip(m.frame()) + "\n"
}

func TestFrames(t *testing.T) {
	golden(t, "frame-80x24.txt", frameOf(scene(), 80, 24, false))
	golden(t, "frame-120x40.txt", frameOf(scene(), 120, 40, false))
	golden(t, "frame-ascii.txt", frameOf(scene(), 80, 24, true))

	limit := scene()
	limit.Client.LagP99, limit.Client.CPUShareMax = ptr(.0142), ptr(.97)
	limit.Steady = watch.Steady{State: watch.Moving, Series: "TTFT", Change: .23, Rests: "TTFT and answers, last 9 s against 9 s before"}
	golden(t, "frame-limit.txt", frameOf(limit, 80, 24, false))

	golden(t, "frame-200x50.txt", frameOf(finished(), 200, 50, false))
	golden(t, "frame-finished-80x24.txt", frameOf(finished(), 80, 24, false))
	golden(t, "frame-finished-120x40.txt", frameOf(finished(), 120, 40, false))

	start := (&watch.Live{}).Snapshot()
	start.Name, start.Stage, start.Launch, start.Launches = "cold", watch.Starting, 1, 3
	golden(t, "frame-start.txt", frameOf(start, 80, 24, false))
}

// Whatever the size of the terminal, a frame fits it.
func TestFramesFit(t *testing.T) {
	many := scene()
	for range 100 {
		many.GPUs = append(many.GPUs, many.GPUs[0])
		many.Log = append(many.Log, watch.LogLine{Text: strings.Repeat("long ", 100)})
		many.Errors = append(many.Errors, watch.ErrorKind{Kind: record.Reset, Count: 3})
	}
	many.Name = strings.Repeat("name", 50)
	for _, s := range []watch.Snapshot{scene(), finished(), many, (&watch.Live{}).Snapshot()} {
		for _, size := range [][2]int{{1, 1}, {10, 3}, {40, 10}, {80, 24}, {81, 25}, {132, 50}, {300, 100}} {
			for _, p := range []page{overview, logPage, helpPage} {
				m := &model{screen: screen{look{}, size[0], size[1]}, snapshot: s, page: p}
				lines := strings.Split(m.frame(), "\n")
				if len(lines) != size[1] && size[1] > 1 {
					t.Errorf("%v: %d lines", size, len(lines))
				}
				for _, l := range lines {
					if ansi.StringWidth(l) > size[0] {
						t.Errorf("%v: a line of %d columns: %q", size, ansi.StringWidth(l), l)
					}
				}
			}
		}
	}
}

func TestSpark(t *testing.T) {
	f := func(values []float64, width int, want string) {
		t.Helper()
		if got, _ := (look{}).spark(values, width); got != want {
			t.Errorf("spark(%v) = %q, want %q", values, got, want)
		}
	}
	f([]float64{0, 1, 2, 4, 8}, 8, "   ▁▂▃▅█")
	f([]float64{9, 0, 8}, 2, "▁█") // only what is shown counts
	f([]float64{math.NaN(), 5, math.NaN()}, 3, " █ ")
	f([]float64{0, 0}, 2, "▁▁")
	f(nil, 3, "   ")
}

func TestNumbers(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(grouped(-1234567), "-1,234,567")
	f(grouped(-123), "-123")
	f(number(1234.5), "1,235")
	f(number(4.567), "4.57")
	f(number(math.NaN()), none)
	f(several(1, "user"), "1 user")
	f(left(2*time.Hour), "about 2.0 h left")
	f(left(150*time.Second), "about 2 min left")
	f(left(1200*time.Millisecond), "about 2 s left")
	f(clock(3723*time.Second), "1:02:03")
}

func TestLine(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	s := scene()
	want := "12:00:00  launch 2 of 5  candidate  rate=50  measuring 61 %  49.7/s  in flight 1012  TTFT p50 41.2 ms p99 188 ms  errors 31 of 12045  run 38 %, about 7 min left"
	if got := line(s, noon); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Client.LagP99 = ptr(.012)
	if got := line(s, noon); !strings.HasSuffix(got, "WARNING the client is the limit: send lag p99 12.0 ms (limit 9.40 ms)") {
		t.Errorf("no warning in %s", got)
	}
	s = (&watch.Live{}).Snapshot()
	if got := line(s, noon); got != "12:00:00  preparing  errors 0 of 0" {
		t.Errorf("before the run: %s", got)
	}
}
