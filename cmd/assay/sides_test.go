package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/tests/whole"
)

// Servers of both sides are started as their spec says: once each and kept, or
// in turn at one address.
func TestSidesAndTheirServers(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	one, other := freeAddress(t), freeAddress(t)
	tests := []struct {
		restart     string
		addressTwo  string
		wantStarted int
	}{
		{"run", other, 2},
		{"launch", one, 6},
	}
	for _, tt := range tests {
		t.Run(tt.restart, func(t *testing.T) {
			started := filepath.Join(t.TempDir(), "started")
			side := func(name, addr string) string {
				script := fmt.Sprintf(`echo %s >> %s; exec "$0" sim --addr %s --ttft 1ms --itl 1ms`, name, started, addr)
				return fmt.Sprintf(`{url: "http://%s", server: {restart: %s, ready: {interval: 20ms}, command: [sh, -c, %q, %q]}}`, addr, tt.restart, script, os.Args[0])
			}
			f := &faulty{t: t}
			f.run(side("baseline", one)+`, candidates: [{name: new, target: `+side("new", tt.addressTwo)+`}]`, "{concurrency: [2], requests: 20, warmup: {}}")
			b := f.ends(exitOK)
			text, err := os.ReadFile(started)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(text), "\n"); got != tt.wantStarted {
				t.Errorf("%d servers were started, want %d:\n%s", got, tt.wantStarted, text)
			}
			blocks := map[int]map[string]bool{}
			for _, l := range b.Launches() {
				if blocks[l.Block] == nil {
					blocks[l.Block] = map[string]bool{}
				}
				blocks[l.Block][l.Side] = l.Outcome == bundle.LaunchCompleted
			}
			for n, sides := range blocks {
				if len(blocks) != 3 || !sides["baseline"] || !sides["new"] {
					t.Errorf("block %d of %d holds %v", n, len(blocks), sides)
				}
			}
			report, err := b.ReadFile("report/report.txt")
			if err != nil || !strings.Contains(string(report), "new beside baseline, paired by block") {
				t.Errorf("the report has no pairs (%v):\n%s", err, report)
			}
		})
	}
}
