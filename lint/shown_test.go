package lint

import (
	"testing"

	"assay/finding"
	"assay/record"
)

// saw fills in what a person saw of an honest answer of the scene.
func saw(r *record.Request, events []record.Chunk) {
	first, bytes, parts, none, own := events[1].At, int32(11*sceneTokens), int32(sceneTokens), int32(0), int32(sceneTokens+4)
	r.FirstVisible, r.FirstAnswer, r.VisibleBytes, r.VisibleParts, r.Repeated, r.OwnTokens = &first, &first, &bytes, &parts, &none, &own
	letters := bytes
	r.AnswerHash, r.AnswerGist, r.Letters, r.Model = r.PromptHash+1, r.PromptHash+2, &letters, "openai/gpt-oss-20b"
}

// showing is a small scene whose answers were looked at and then spoiled.
func showing(spoil func(r *record.Request, events *[]record.Chunk)) func(*scene) {
	return func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			saw(r, *events)
			spoil(r, events)
		}
	}
}

// some spoils one answer in n.
func some(n int64, spoil func(*record.Request)) func(*record.Request, *[]record.Chunk) {
	return func(r *record.Request, _ *[]record.Chunk) {
		if r.ID%n == 0 {
			spoil(r)
		}
	}
}

// marked has one request in eight go out without a trace and take so much longer, as a share of
// the time to the first token.
func marked(by float64) func(*scene) {
	return showing(func(r *record.Request, events *[]record.Chunk) {
		if r.ID%8 == 0 {
			r.Flags = record.Unmarked
			slower(r, *events, by)
		}
	})
}

var shownTrips = []trip{
	{"output-after-done", "a third", showing(some(3, func(r *record.Request) { r.Flags = "bytes_after_done output_after_done" })), finding.Void, "output follows the end of the stream in "},
	{"no-output", "a finish reason alone", showing(func(r *record.Request, events *[]record.Chunk) {
		if r.ID%4 == 0 {
			*events = (*events)[:1]
			r.VisibleBytes, r.VisibleParts, r.Repeated, r.OwnTokens, r.FirstVisible, r.FirstAnswer = nil, nil, nil, nil, nil, nil
		}
	}), finding.Void, "answers hold no output"},
	{"no-output", "neither output nor a finish reason", showing(some(4, func(r *record.Request) { r.Result = record.Empty })), finding.Caution, "(0 of them have a finish reason"},
	{"first-chunk-filler", "a space", showing(func(r *record.Request, events *[]record.Chunk) {
		for i := range *events {
			if i > 1 {
				(*events)[i].At += 150e6
			}
		}
		r.Done += 150e6
		r.FirstVisible, r.FirstAnswer = &(*events)[2].At, &(*events)[2].At
	}), finding.Void, "nobody sees the first output of "},
	{"first-chunk-filler", "a word long before the others", showing(func(r *record.Request, events *[]record.Chunk) {
		for i := range *events {
			if i > 1 {
				(*events)[i].At += 150e6
			}
		}
		r.Done += 150e6
	}), finding.Void, "the first output is followed by a wait"},
	{"reasoning-alone", "no answer", showing(func(r *record.Request, _ *[]record.Chunk) { r.FirstAnswer = nil }), finding.Caution, "hold reasoning and no answer"},
	{"canned-answers", "one text", showing(func(r *record.Request, _ *[]record.Chunk) { r.AnswerGist = 7 }), finding.Caution, "are one and the same text"},
	{"canned-answers", "everything twice", showing(func(r *record.Request, _ *[]record.Chunk) { *r.Repeated = sceneTokens/2 + 1 }), finding.Caution, "what was said before"},
	{"canned-answers", "a refusal in twenty", showing(func(r *record.Request, _ *[]record.Chunk) {
		if r.FinishReason = "stop"; r.ID%20 == 0 {
			r.AnswerHash = 7
		}
	}), finding.Caution, "the same sentence is the answer to "},
	{"answering-model", "a smaller one", showing(some(2, func(r *record.Request) { r.Model = "gpt-oss-2b" })), finding.Void, "openai/gpt-oss-20b was asked, and "},
	{"answering-model", "two systems", showing(func(r *record.Request, _ *[]record.Chunk) { r.Fingerprint = []string{"fp_a", "fp_b"}[r.ID%2] }), finding.Caution, "from 2 systems"},
	{"short-answers", "refusals", showing(some(8, func(r *record.Request) { *r.UsageOutput = 2 })), finding.Caution, "have a quarter of the tokens asked for or fewer"},
	{"finish-reasons", "a limit that was not reached", showing(some(8, func(r *record.Request) { *r.UsageOutput = 7 })), finding.Caution, "end with length and hold less than nine tenths"},
	{"finish-reasons", "refused", showing(some(8, func(r *record.Request) { r.FinishReason = "refusal" })), finding.Caution, "a filter or a refusal ended 25 of 200 answers (refusal)"},
	{"output-length", "one in eight ends early", showing(some(8, func(r *record.Request) { *r.UsageOutput, r.FinishReason = 7, "stop" })), finding.Caution, "25 of 200 are off by more than a tenth"},
	{"marked-requests", "faster with a trace", marked(.3), finding.Void, "requests that carry a trace take "},
	{"marked-requests", "slower with a trace", marked(-.3), finding.Caution, "requests that carry a trace take "},
	{"program-clock", "half of the answers", showing(some(2, func(r *record.Request) { r.Flags = "program_clock" })), finding.Caution, "the program's stamps of "},
	{"echoed-prompt", "every answer", showing(func(r *record.Request, _ *[]record.Chunk) { r.Flags = "echoes_prompt" }), finding.Caution, "answers begin with words of their prompt"},
	{"truncated-prompts", "a third was read", showing(func(r *record.Request, _ *[]record.Chunk) { *r.UsageInput /= 3 }), finding.Caution, "the server counts half of the prompt or less in 200 of 200 answers"},
	{"usage-mismatch", "one answer in ten of two words", showing(some(10, func(r *record.Request) { *r.OwnTokens, *r.VisibleParts = 2, 2 })), finding.Void, "hold less than three quarters"},
	{"usage-mismatch", "prose of too few tokens", showing(func(r *record.Request, _ *[]record.Chunk) { *r.OwnTokens, *r.VisibleParts = 12, 4 }), finding.Void, "the embedded tokenizer finds 12.0, "},
	{"usage-mismatch", "code of too few tokens", showing(func(r *record.Request, _ *[]record.Chunk) {
		*r.OwnTokens, *r.VisibleParts, *r.Letters = 10, 4, *r.VisibleBytes/2
	}), finding.Caution, "the embedded tokenizer finds 10.0, "},
	{"usage-mismatch", "fewer tokens than counted", showing(func(r *record.Request, _ *[]record.Chunk) { *r.OwnTokens, *r.VisibleParts = 7, 4 }), finding.Void, "the embedded tokenizer finds 7.0, "},
}

// Answers that were looked at and are honest are told nothing.
func TestHonestAnswers(t *testing.T) {
	t.Parallel()
	s := clean()
	showing(func(r *record.Request, events *[]record.Chunk) {
		if r.ID%2 == 0 {
			r.Model = "gpt-oss-20b-2026-01-05"
		}
		r.FirstVisible, r.FirstAnswer = &(*events)[2].At, &(*events)[2].At // a line break first, as many models begin
	})(&s)
	f := s.facts(t)
	for _, trip := range shownTrips {
		for _, c := range All {
			if c.ID != trip.check {
				continue
			}
			for _, one := range c.Run(f).Findings {
				t.Errorf("%s: %s", c.ID, one.Message)
			}
		}
	}
}

// One model has several names.
func TestSameModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		asked, answered string
		want            bool
	}{
		{"gpt-4o", "gpt-4o-2024-08-06", true}, {"openai/gpt-oss-20b", "gpt-oss-20b", true}, {"m", "/models/m.gguf", true}, {"llama3", "llama3:8b", true},
		{"gemini-1.5-pro", "gemini-1.5-pro-001", true}, {"claude-3-5-sonnet-latest", "claude-3-5-sonnet", true}, {"Qwen3-8B", "qwen3-8b", true},
		{"big", "small", false}, {"gpt-4o", "gpt-4o-mini", false}, {"llama-3", "llama-3-8b", false}, {"llama-3", "llama-3.1", false},
	}
	for _, tt := range tests {
		if got := sameModel(tt.asked, tt.answered); got != tt.want {
			t.Errorf("sameModel(%q, %q) = %v, want %v", tt.asked, tt.answered, got, tt.want)
		}
	}
}
