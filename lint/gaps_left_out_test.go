package lint

import "testing"

// leavingOut makes gaps with a share of the streams' time unknown.
func leavingOut(share float64) func(*scene) {
	return func(s *scene) {
		s.spoil = func(f *Facts) {
			for i := range f.Client.Launches {
				f.Client.Launches[i].GapsLeftOut = &share
			}
		}
	}
}

func TestFewGapsLeftOut(t *testing.T) {
	s := clean()
	leavingOut(.01)(&s)
	if found := GapsLeftOut.Run(s.facts(t)).Findings; len(found) > 0 {
		t.Errorf("a hundredth of the time: %+v, want nothing", found)
	}
}
