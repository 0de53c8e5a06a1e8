package fidelity

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every peer has a small recorded result; what is read from it must stand here.
func TestPeerResults(t *testing.T) {
	want := map[string][]Reported{
		"genai-bench": {
			{TTFT: 0.07195395400049165, ITL: []float64{0.009969406828274416}},
			{TTFT: 0.30952449300093576, ITL: []float64{0.010128478888891734}},
			{TTFT: 0.08343926800080226, ITL: []float64{0.012045004040401458}},
		},
		"guidellm": {
			{Start: 1794723645.6309617, TTFT: 0.05946183204650879, ITL: []float64{0.01004791259765625}},
			{Start: 1794723645.657363, TTFT: 0.0553746223449707, ITL: []float64{0.010161397433040118}},
			{Start: 1794723645.6586246, TTFT: 0.056049346923828125, ITL: []float64{0.010012826534232708}},
		},
		"vllm": {
			{Start: 12.5, TTFT: .0517, ITL: []float64{.0101, .0099}},
			{Start: 12.4, TTFT: .0503, ITL: []float64{.01, .01}},
		},
	}
	for _, p := range Peers {
		got, err := p.Read(PeerTrial{Dir: "testdata/peers"})
		if err != nil {
			t.Errorf("%s: every peer needs a recorded result in testdata/peers: %v", p.Name, err)
			continue
		}
		if p.Name == AIPerf.Name {
			if len(got) != 3 || got[0].TTFT != 0.079192998 || len(got[0].ITL) != 4 || math.Abs(got[0].ITL[1]-0.010428377) > 1e-12 || math.Abs(got[0].Start-1794723801.107945) > 1e-6 {
				t.Errorf("%s: read %+v", p.Name, got)
			}
			continue
		}
		if fmt.Sprintf("%.9v", got) != fmt.Sprintf("%.9v", want[p.Name]) {
			t.Errorf("%s: read %+v, want %+v", p.Name, got, want[p.Name])
		}
	}
}

// A result that is not there, or has another form, is an error with words.
func TestPeerWithoutResult(t *testing.T) {
	for _, p := range Peers {
		if _, err := p.Read(PeerTrial{Dir: t.TempDir()}); err == nil {
			t.Errorf("%s: no result is read without an error", p.Name)
		}
		args, err := p.Args(PeerTrial{URL: "http://127.0.0.1:1", Dir: t.TempDir(), Streams: 7, Rounds: 3, Tokens: 100})
		if err != nil || !strings.Contains(strings.Join(args, " "), "http://127.0.0.1:1") || !strings.Contains(strings.Join(args, " "), "7") {
			t.Errorf("%s: arguments %v, %v do not name the server and the streams", p.Name, args, err)
		}
	}
}

func TestCompared(t *testing.T) {
	sent := truth{
		"first":  {{arrival: 0, due: 50, sent: 50}, {arrival: 0, due: 60, sent: 60}, {arrival: 0, due: 70, sent: 71}},
		"second": {{arrival: 100e9, due: 150e9, sent: 150e9}, {due: 160e9, sent: 160e9}, {due: 170e9, sent: 172e9}},
		"probe":  {{arrival: 200e9, sent: 201e9}}, // a peer that looks whether a server is there
	}
	list := []Reported{
		{Start: 9, TTFT: 75, ITL: []float64{10, 14}},
		{Start: 8, TTFT: 1000, ITL: []float64{1000, 1000}}, // opened the connection
	}
	c, err := Compared{Streams: 1, PerGap: true}.judge(slices.Clone(list), sent, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c.Answers != 1 || c.TTFT.P50() != 1.5 || c.ITL.Reported != (Quantiles{N: 2, P50: 14, P99: 14}) || c.ITL.P99() != 14.0/12 {
		t.Errorf("by gap: %+v, want TTFT 75 over 50 and gaps 10 and 14 over 10 and 12", c)
	}
	c, err = Compared{Streams: 1}.judge(slices.Clone(list), sent, 3)
	if err != nil || c.ITL.Reported.P50 != 12 || c.ITL.Truth.P50 != 11 {
		t.Errorf("by answer: %+v, %v; want means 12 over 11", c.ITL, err)
	}
	if _, err := (Compared{Streams: 2}).judge(list, sent, 3); err == nil || !strings.Contains(err.Error(), "want more than 2") {
		t.Errorf("error %v does not say that nothing is left to judge", err)
	}
}

func TestSelfReports(t *testing.T) {
	got := Observed{Requests: []Answer{{Sent: 1e9, At: []int64{1050e6, 1060e6}}, {Sent: 2e9}}}.reported()
	if len(got) != 1 || got[0].Start != 1 || math.Abs(got[0].TTFT-.05) > 1e-12 || math.Abs(got[0].ITL[0]-.01) > 1e-12 {
		t.Errorf("got %+v", got)
	}
}

func TestTokenizer(t *testing.T) {
	dir := t.TempDir()
	if err := writeTokenizer(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(tokenizerFolder(dir), "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(data, &made); err != nil {
		t.Fatal(err)
	}
	if v := made.Model.Vocab; len(v) != 257 || v["a"] != 'a' || v["Ġ"] != ' ' || v["Ċ"] != '\n' {
		t.Errorf("%d tokens; a is %d, space %d, newline %d", len(v), v["a"], v["Ġ"], v["Ċ"])
	}
	ref, err := os.ReadFile(filepath.Join(tokenizerHome(dir), "hub", "models--assay--bytes", "refs", "main"))
	if err != nil || string(ref) != tokenizerRevision {
		t.Errorf("refs/main = %q, %v", ref, err)
	}
}
