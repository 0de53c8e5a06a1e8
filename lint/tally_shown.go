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
	Visible float64 // bytes of those
	Letters float64 // of them, those of letters
	Hollow  int     // of those: they hold far less than the server counts

	Sized       int     // answers with usage whose visible bytes are known
	Bytes       float64 // of those, as people see them
	SizedTokens float64 // of those, as the server counts them

	Stutters int // answers of which most events say again what the one before said

	Models  map[string]int // that the answers name
	Systems map[string]int // fingerprints
	Long    int            // answers of some length
	Gists   map[int64]int  // how often each of the first gists of those came
	Ended   int            // answers of a sentence or more that ended by themselves
	Texts   map[int64]int  // how often each of the first texts of those came
	Brief   int            // answers of a small part of the tokens asked for
	Full    int            // answers of nearly all of them
}

const (
	// longText is the least number of visible bytes of an answer of some length, some twenty
	// words: that two of those agree is no accident.
	longText = 80
	// sentence is the least number of visible bytes of a whole sentence.
	sentence = 24
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
	// hollowBy is how many tokens an answer must lack to be hollow: templates and marks of the
	// end take a few that nobody sees.
	hollowBy = 8
	// openingGaps is how many of the first gaps may be the wait behind a filler of several words.
	openingGaps = 3
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
	sorted := slices.Sorted(slices.Values(events.gaps))
	longest, n := sorted[len(sorted)-1], len(sorted)-1 // it and the others
	opening := slices.Contains(events.gaps[:openingGaps], longest)
	if opening && longest > lonely*sorted[n/2] && longest > lonelier*sorted[n-1] && 2*longest > events.begun-r.Sent {
		s.Stalls++
	}
}

// alone is how long nobody may see anything after the first output before that was sent for
// itself. Many models begin with a line break or two, or with an empty thought, which come one
// gap apart like all that they say: three gaps are nothing, and four or five are where they are
// a third of the wait.
func alone(gaps []int64, visible int64) int64 {
	const few, none, part, third = 5, 3.5, 10, 3
	if len(gaps) < 3 {
		return visible / part
	}
	median := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
	return max(min(few*median, max(int64(none*float64(median)), visible/third)), visible/part)
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
		s.Gists = tell(s.Gists, r.AnswerGist)
	}
	if *r.VisibleBytes >= sentence && !limited(r.FinishReason) {
		s.Ended++
		s.Texts = tell(s.Texts, r.AnswerHash)
	}
	if r.UsageOutput == nil {
		return
	}
	if *r.VisibleBytes > 0 && *r.UsageOutput > 0 {
		s.Sized++
		s.Bytes, s.SizedTokens = s.Bytes+float64(*r.VisibleBytes), s.SizedTokens+float64(*r.UsageOutput)
	}
	if r.OwnTokens != nil {
		s.tokens(float64(*r.OwnTokens), float64(*r.VisibleParts), float64(*r.UsageOutput))
		s.Visible += float64(*r.VisibleBytes)
		if r.Letters != nil {
			s.Letters += float64(*r.Letters)
		}
	}
	switch got, asked := float64(*r.UsageOutput), float64(r.AskedOutput); {
	case asked < 8: // a part of a few tokens says nothing
	case got <= briefly*asked:
		s.Brief++
	case got >= fully*asked:
		s.Full++
	}
}

// tokens adds an answer whose tokens assay counted.
func (s *Shown) tokens(own, parts, usage float64) {
	s.Counted++
	s.Own, s.Parts, s.Usage = s.Own+own, s.Parts+parts, s.Usage+usage
	if most := max(own, parts); most < sentShare*usage && usage-most >= hollowBy {
		s.Hollow++
	}
}

// tell counts one of the first texts that differ.
func tell(texts map[int64]int, hash int64) map[int64]int {
	if texts == nil {
		texts = map[int64]int{}
	}
	if _, known := texts[hash]; known || len(texts) < mostTexts {
		texts[hash]++
	}
	return texts
}

func (s *Shown) name(r *record.Request) {
	if s.Models == nil {
		s.Models, s.Systems = map[string]int{}, map[string]int{}
	}
	named := func(names map[string]int, name string) {
		if _, known := names[name]; name != "" && (known || len(names) < mostModels) {
			names[name]++
		}
	}
	named(s.Models, r.Model)
	named(s.Systems, r.Fingerprint)
}

// shown adds those of the launches of a place.
func (p placeTally) shown() Shown {
	all := Shown{Models: map[string]int{}, Systems: map[string]int{}, Gists: map[int64]int{}, Texts: map[int64]int{}}
	for _, t := range p.launches {
		s := t.Shown
		for _, add := range []struct{ to, n *int }{
			{&all.Answers, &s.Answers}, {&all.Nothing, &s.Nothing}, {&all.Late, &s.Late}, {&all.Clocks, &s.Clocks}, {&all.Echoes, &s.Echoes}, {&all.Streams, &s.Streams}, {&all.Hidden, &s.Hidden},
			{&all.Stalls, &s.Stalls}, {&all.Only, &s.Only}, {&all.Counted, &s.Counted}, {&all.Stutters, &s.Stutters}, {&all.Long, &s.Long}, {&all.Brief, &s.Brief}, {&all.Full, &s.Full}, {&all.Sized, &s.Sized}, {&all.Hollow, &s.Hollow}, {&all.Ended, &s.Ended},
		} {
			*add.to += *add.n
		}
		all.Bytes, all.SizedTokens = all.Bytes+s.Bytes, all.SizedTokens+s.SizedTokens
		all.Own, all.Usage, all.Parts = all.Own+s.Own, all.Usage+s.Usage, all.Parts+s.Parts
		all.Visible, all.Letters = all.Visible+s.Visible, all.Letters+s.Letters
		addCounts(all.Models, s.Models)
		addCounts(all.Systems, s.Systems)
		addCounts(all.Gists, s.Gists)
		addCounts(all.Texts, s.Texts)
	}
	return all
}

func addCounts[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}
