package page

import (
	"bytes"
	"strings"
	"testing"

	"assay/report/reporttest"
)

// The page of a comparison has the answers that flipped, both side by side, of every load
// and losses first; a bounded number of them, cut, and as text whatever they say.
func TestFlips(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := CompareHTML(&b, reporttest.Compared(), false, reporttest.Flipped()...); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"200 of 302", "characters left out", `data-kind="right to wrong"`, `data-kind="wrong to right"`, "gsm8k l0 (algebra) at concurrency=4:", "at concurrency=64:",
		"<h4>old: score 1</h4>", "<h4>new: score 0</h4>", "baseline <q>41</q>, candidate <q>42</q>", "&lt;img src=x",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, `<details class="example"`); n != mostExamples {
		t.Errorf("%d answers, want %d", n, mostExamples)
	}
	for _, bad := range []string{"<img", "<script>alert", "same mark"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if len(page) > 2<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}
