package metric

import "assay/unit"

// The paces that tools call TPOT, beside tpot.v1, and E2E per token.
var (
	TPOTDone = Metric{
		ID: "tpot_done.v1", Name: "TPOT (to the end)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "(E2E − TTFT) / (output tokens − 1) by usage: as tpot.v1, and what follows the last output (finish, usage, [DONE]) counts as generation. TPOT of vllm bench serve, SGLang, genai-bench and MLPerf LoadGen; AIPerf calls it ITL and ends at the last output, as tpot.v1 does.",
		Of:  Each(single(tpotDone(byUsage))),
	}
	TPOTDoneCounted = Metric{
		ID: "tpot_done_tokenizer.v1", Name: "TPOT (to the end, tokenizer)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: countedOut}, Detail: true,
		Doc: "As tpot_done.v1, with the tokens that the named tokenizer counts.",
		Of:  Each(single(tpotDone(byTokenizer))),
	}
	TPOTRequest = Metric{
		ID: "tpot_request.v1", Name: "TPOT (with the first)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "(last output − sent) / output tokens by usage: the wait for the first token is part of it. What GuideLLM calls time per output token.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			n, known := count(byUsage).of(t, 1)
			last, ok := t.lastOutput()
			return seconds(last-t.Sent) / n, known && ok
		})),
	}
	TPOTAfterFirst = Metric{
		ID: "tpot_after_first.v1", Name: "TPOT (after the first event)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "(done − first output event) / output tokens after that event, by usage; the first event holds as large a part of the tokens as of the output's bytes. As MLPerf Endpoints defines TPOT, which counts with a tokenizer: right where the first event holds several tokens.",
		Of:  Each(single(tpotAfterFirst)),
	}
	NTPOT = Metric{
		ID: "ntpot.v2", Name: "NTPOT", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "E2E / output tokens by usage: normalised time per output token, as inference-perf has it.",
		Of:  Each(single(ntpot(byUsage))),
	}
	NTPOTCounted = Metric{
		ID: "ntpot_tokenizer.v2", Name: "NTPOT (tokenizer)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: countedOut}, Detail: true,
		Doc: "As ntpot.v2, with the tokens that the named tokenizer counts.",
		Of:  Each(single(ntpot(byTokenizer))),
	}
)

func tpotDone(tokens count) func(*Timeline) (float64, bool) {
	return func(t *Timeline) (float64, bool) {
		n, known := tokens.of(t, 2)
		first, ok := t.firstOutput()
		return seconds(t.Done-first) / (n - 1), known && ok
	}
}

func tpotAfterFirst(t *Timeline) (float64, bool) {
	n, known := count(byUsage).of(t, 2)
	if !known {
		return 0, false
	}
	first, bytes, later := int64(-1), 0.0, 0.0
	for i := range t.Events {
		c := &t.Events[i]
		switch {
		case !c.Kind.Output():
			continue
		case first < 0:
			first = c.At
		default:
			later += float64(c.TextBytes)
		}
		bytes += float64(c.TextBytes)
	}
	return seconds(t.Done-first) / (n * later / bytes), later > 0
}

func ntpot(tokens count) func(*Timeline) (float64, bool) {
	return func(t *Timeline) (float64, bool) {
		n, known := tokens.of(t, 1)
		return seconds(t.Done-t.Origin()) / n, known
	}
}
