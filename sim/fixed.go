package sim

// fixedStream is the task that sends a stream on the fixed schedule.
type fixedStream stream

// schedule is when token i of every choice is due.
func (f *fixedStream) schedule(i int) int64 {
	fixed := f.server.cfg.Fixed
	return f.arrival + int64(fixed.TTFT) + int64(i)*int64(fixed.ITL)
}

func (f *fixedStream) fire(due int64) (int64, bool) {
	s := (*stream)(f)
	if s.gone.Load() {
		s.drop()
		return 0, false
	}
	made := s.choices[0].made
	for c := range s.choices {
		made = max(made, s.choices[c].made)
	}
	for c := range s.choices {
		if s.choices[c].made < s.choices[c].limit {
			s.token(c, due)
		}
	}
	if s.open == 0 {
		return 0, false
	}
	return f.schedule(made + 1), true
}

func (f *fixedStream) drop() { (*stream)(f).drop() }
