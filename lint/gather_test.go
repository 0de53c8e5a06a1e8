package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/bundle"
	"assay/metric"
)

// The survey takes what it needs of the requests from the reading that estimates are
// made of: their tables may be gone when that is over. What it gathers is the same as
// with a reading of its own.
func TestSurveyReadsAlong(t *testing.T) {
	t.Parallel()
	s := clean()
	p := s.plan(t)
	b := s.bundle(t, p)
	survey := NewSurvey(b, p)
	e, c, err := metric.JudgeWatched(b, p, "test", survey.Watchers()...)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Gather(b, p, e, c)
	if err != nil {
		t.Fatal(err)
	}
	removed := 0
	err = filepath.WalkDir(b.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(d.Name(), bundle.Requests) && !strings.HasPrefix(d.Name(), bundle.Chunks) {
			return err
		}
		removed++
		return os.Remove(path)
	})
	if err != nil || removed < 2 {
		t.Fatalf("removed %d files: %v", removed, err)
	}
	got, err := survey.Facts(e, c)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if len(got.Tally.Points) == 0 || len(got.Steady.Points) == 0 {
		t.Errorf("%d tallies and %d steady points, want some of both", len(got.Tally.Points), len(got.Steady.Points))
	}
}
