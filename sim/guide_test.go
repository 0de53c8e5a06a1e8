package sim

import (
	"os"
	"strings"
	"testing"
	"time"
)

const guidePath = "../docs/guides/simulator.md"

// The guide lists every fault with the text of the table, in its order.
func TestGuideListsFaults(t *testing.T) {
	guide, err := os.ReadFile(guidePath)
	if err != nil {
		t.Fatal(err)
	}
	_, got, found := strings.Cut(string(guide), "| fault | what the client sees |\n| --- | --- |\n")
	if !found {
		t.Fatalf("%s has no table of faults", guidePath)
	}
	var want strings.Builder
	for _, f := range Faults {
		want.WriteString("| " + f.Name + " | " + f.Doc + " |\n")
	}
	if got != want.String() {
		t.Errorf("the table of %s is\n%swant\n%s", guidePath, got, want.String())
	}
}

// The guide's figures computed by hand, and its first row of the truth log.
func TestGuideFigures(t *testing.T) {
	const ask = `{"model": "sim", "stream": true, "max_tokens": 20, "messages": [{"role": "user", "content": "hello"}]}`
	log := run(t, Config{}, func(addr string) { call(t, "POST", "http://"+addr+chatPath, ask) })
	for i, want := range []time.Duration{6270 * time.Microsecond, 12320 * time.Microsecond} {
		if got := time.Duration(log[i].due - log[i].arrival); got != want {
			t.Errorf("token %d is due after %v, the guide says %v", i, got, want)
		}
	}
	guide, err := os.ReadFile(guidePath)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), "    "+truthHeader) {
		t.Errorf("%s does not show the header %s", guidePath, truthHeader)
	}
}
