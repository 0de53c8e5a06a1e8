package lint

import (
	"slices"
	"strings"

	"assay/record"
)

// Shown counts what the answers of a point showed to whoever waited for them, over successful
// measured requests.
type Shown struct {
	Answers int // looked at
	Nothing int // without any output
	Late    int // with output behind the end of their stream
	Echoes  int // that begin with words of their prompt
	Clocks  int // whose program's stamps contradict ours

	Streams int // of which every event was looked at, with output
	Hidden  int // of them: nobody saw the first output, nor anything soon after it
	Stalls  int // of them: after the first output came a wait that no other one is like
	Only    int // of them: reasoning and no answer

	Counted int     // answers whose tokens assay counted itself, with usage
	Own     float64 // tokens of those, as assay counts them
	Usage   float64 // the same, as the server does
	Parts   float64 // events of those that show something

	Sized       int     // answers with usage whose visible bytes are known
	Bytes       float64 // of those, as people see them
	SizedTokens float64 // of those, as the server counts them

	Stutters int // answers of which most events say again what the one before said

	Models  map[string]int // that the answers name
	Systems map[string]int // fingerprints
	Long    int            // answers of some length
	Texts   map[int64]int  // how often each of the first texts of some length came
	Brief   int            // answers of a small part of the tokens asked for
	Full    int            // answers of nearly all of them
}

const (
	// longText is the least number of visible bytes of an answer of some length, some twenty
	// words: that two of those agree is no accident.
	longText = 80
	// mostTexts bounds the texts that are told apart: where so many differ, the question is
	// answered.
	mostTexts = 256
	// mostModels bounds the names that are told apart.
	mostModels = 16
	// lonely is how much longer than the median gap, and than any other one, the wait after
	// the first output is where that came for itself.
	lonely, lonelier = 10, 2
	// briefly and fully are the parts of the tokens asked for that make an answer brief, and
	// one that was not.
	briefly, fully = .25, .9
)

func (s *Shown) add(r *record.Request, events stream) {
	flags := strings.Fields(r.Flags)
	s.Answers++
	if slices.Contains(flags, "output_after_done") {
		s.Late++
	}
	if slices.Contains(flags, "echoes_prompt") {
		s.Echoes++
	}
	if slices.Contains(flags, "program_clock") {
		s.Clocks++
	}
	s.name(r)
	s.count(r)
	whole := events.rows > 0 && events.rows == r.Chunks
	switch {
	case whole && events.output == 0, r.Chunks == 0 && slices.Contains(flags, "no_text") && !strings.Contains(r.FinishReason, "tool"):
		s.Nothing++
	case whole:
		s.stream(r, events)
	}
}

func (s *Shown) stream(r *record.Request, events stream) {
	s.Streams++
	if r.VisibleBytes != nil {
		if r.FirstVisible == nil || *r.FirstVisible-events.begun > alone(events.gaps, *r.FirstVisible-r.Sent) {
			s.Hidden++
		}
		if r.FirstVisible != nil && r.FirstAnswer == nil {
			s.Only++
		}
	}
	if len(events.gaps) < 3 {
		return
	}
	first, others := events.gaps[0], slices.Sorted(slices.Values(events.gaps[1:]))
	if first > lonely*others[len(others)/2] && first > lonelier*others[len(others)-1] && 2*first > events.begun-r.Sent {
		s.Stalls++
	}
}

// alone is how long nobody may see anything after the first output before that was sent for
// itself. Many models begin with a line break or two, which come one gap apart like all
// that they say.
func alone(gaps []int64, visible int64) int64 {
	const few, part = 5, 10
	if len(gaps) < 3 {
		return visible / part
	}
	sorted := slices.Sorted(slices.Values(gaps))
	return max(few*sorted[len(sorted)/2], visible/part)
}

func (s *Shown) count(r *record.Request) {
	if r.VisibleBytes == nil {
		return
	}
	if r.VisibleParts != nil && *r.VisibleParts > 3 && 2**r.Repeated >= *r.VisibleParts-1 {
		s.Stutters++
	}
	if *r.VisibleBytes >= longText {
		s.Long++
		if s.Texts == nil {
			s.Texts = map[int64]int{}
		}
		if _, known := s.Texts[r.AnswerHash]; known || len(s.Texts) < mostTexts {
			s.Texts[r.AnswerHash]++
		}
	}
	if r.UsageOutput == nil {
		return
	}
	if *r.VisibleBytes > 0 && *r.UsageOutput > 0 {
		s.Sized++
		s.Bytes, s.SizedTokens = s.Bytes+float64(*r.VisibleBytes), s.SizedTokens+float64(*r.UsageOutput)
	}
	if r.OwnTokens != nil {
		s.Counted++
		s.Own, s.Usage = s.Own+float64(*r.OwnTokens), s.Usage+float64(*r.UsageOutput)
		s.Parts += float64(*r.VisibleParts)
	}
	switch got, asked := float64(*r.UsageOutput), float64(r.AskedOutput); {
	case asked < 8: // a part of a few tokens says nothing
	case got <= briefly*asked:
		s.Brief++
	case got >= fully*asked:
		s.Full++
	}
}

func (s *Shown) name(r *record.Request) {
	if s.Models == nil {
		s.Models, s.Systems = map[string]int{}, map[string]int{}
	}
	tell := func(names map[string]int, name string) {
		if _, known := names[name]; name != "" && (known || len(names) < mostModels) {
			names[name]++
		}
	}
	tell(s.Models, r.Model)
	tell(s.Systems, r.Fingerprint)
}

// shown adds those of the launches of a place.
func (p placeTally) shown() Shown {
	all := Shown{Models: map[string]int{}, Systems: map[string]int{}, Texts: map[int64]int{}}
	for _, t := range p.launches {
		s := t.Shown
		for _, add := range []struct{ to, n *int }{
			{&all.Answers, &s.Answers}, {&all.Nothing, &s.Nothing}, {&all.Late, &s.Late}, {&all.Clocks, &s.Clocks}, {&all.Echoes, &s.Echoes}, {&all.Streams, &s.Streams}, {&all.Hidden, &s.Hidden},
			{&all.Stalls, &s.Stalls}, {&all.Only, &s.Only}, {&all.Counted, &s.Counted}, {&all.Stutters, &s.Stutters}, {&all.Long, &s.Long}, {&all.Brief, &s.Brief}, {&all.Full, &s.Full}, {&all.Sized, &s.Sized},
		} {
			*add.to += *add.n
		}
		all.Bytes, all.SizedTokens = all.Bytes+s.Bytes, all.SizedTokens+s.SizedTokens
		all.Own, all.Usage, all.Parts = all.Own+s.Own, all.Usage+s.Usage, all.Parts+s.Parts
		addCounts(all.Models, s.Models)
		addCounts(all.Systems, s.Systems)
		addCounts(all.Texts, s.Texts)
	}
	return all
}

func addCounts[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}
