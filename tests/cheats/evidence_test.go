package cheats

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/evidence/cheats.md")

const evidence = "../../docs/evidence/cheats.md"

// TestEvidence holds the page that lists the set-ups against the tables. TestCheats and
// TestHonestServers are what makes each of its lines true.
func TestEvidence(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	fmt.Fprintf(&page, evidenceHead, len(allCheats), len(allTwins))
	for _, c := range allCheats {
		fmt.Fprintf(&page, "| %s | `%s` | %s |\n", c.name, c.check, c.twin)
	}
	page.WriteString(evidencePairs)
	for _, honest := range []bool{false, true} {
		if honest {
			page.WriteString(evidenceHonestPairs)
		}
		for _, p := range pairings {
			if honest == (p.check == "") {
				fmt.Fprintf(&page, "| %s | %s |\n", p.name, checkName(p.check))
			}
		}
		for _, e := range earlierRuns {
			if honest == (e.check() == "") {
				fmt.Fprintf(&page, "| %s | %s |\n", e.name, checkName(e.check()))
			}
		}
	}
	page.WriteString(evidenceSealed)
	for _, f := range tamperers {
		fmt.Fprintf(&page, "| %s | verify names %s |\n", f.name, f.named)
	}
	page.WriteString(evidenceTail)
	if *update {
		if err := os.WriteFile(evidence, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(evidence); err != nil || string(got) != page.String() {
		t.Errorf("%s is out of date (%v): go test ./tests/cheats -run TestEvidence -update", evidence, err)
	}
}

func checkName(check string) string {
	if check == "" {
		return "none"
	}
	return "`" + check + "`"
}

const evidencePairs = `
## Between two runs

Both runs are really made, of lying or honest servers, and lint looks at the pair:
` + "`go test ./tests/cheats -run 'TestPairings|TestAskedEarlier'`" + ` with ASSAY_TESTS=all.

| set-up | named by |
| --- | --- |
`

const evidenceHonestPairs = `
Honest ones, of which no check above may say more than a note:

| set-up | named by |
| --- | --- |
`

const evidenceSealed = `
## In a bundle that was changed

Tests change a bundle that was really made, some of them as somebody would who knows every place that names a figure and seals it again
(tests/cheats/seal_test.go and resealed_test.go; bundle/tamper_test.go for what the manifest states of ids, counts and dates):

| change | what says so |
| --- | --- |
`

const evidenceTail = `| dates that contradict each other or lie in the future, the id of another run, requests that were begun and are not there | verify: statements |
| every second launch left out, with its seeds, and sealed again | verify: a seed that does not follow from the plan |
| every second launch left out, planned anew, and sealed again | ` + "`trace-mismatch`" + ` |
| a spec and a plan that do not belong together, sealed again | verify: the plan does not follow from the spec |
| the first launches of a longer run, or all figures forged alike, sealed again | nothing but a policy that names trusted keys, or a log that others hold |
`

const evidenceHead = `# Set-ups that mislead

%d servers and programs that lie, and %d honest ones that look like them, each through a real run of
the program. A test demands that lint names the check for each lie, that this check has nothing worse than a note to say of
the honest twin, and that nothing but the host or the single launch forbids a result of it:

` + "```sh\nASSAY_TESTS=all go test ./tests/cheats -run 'TestCheats|TestHonestServers'\n```" + `

Each line is one run and no rate. What remains open: a target that knows a benchmark by its prompts or its pace, and users of an
open loop who are starved, since its requests name no connection.

## What MLPerf's compliance tests look for

| test | in short | checks |
| --- | --- | --- |
| TEST04, caching | one prompt again and again must not be faster than different ones | prompt-cache, canned-answers, copied-answers; prompts that were sent before are counted, and no second run is made |
| TEST06, consistency | the first token belongs to the answer | first-chunk-filler, reasoning-alone, echoed-prompt |
| TEST06, consistency | an answer ends at its end mark and once | output-after-done, finish-reasons |
| TEST06, consistency | the tokens that are counted were sent | usage-mismatch, output-length, short-answers, no-output |

## The set-ups

| set-up | named by | silent on |
| --- | --- | --- |
`
