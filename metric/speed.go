package metric

import "assay/unit"

// How fast one user sees tokens.
var (
	UserSpeed = Metric{
		ID: "user_speed.v1", Name: "speed per user", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "1 / TPOT: (output tokens − 1) / (last output − first output) of a request, by usage. The speed of decoding that one user sees; a stream that came at one moment has none.",
		Of:  Each(single(userSpeed(byUsage))),
	}
	UserSpeedCounted = Metric{
		ID: "user_speed_tokenizer.v1", Name: "speed per user (tokenizer)", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: countedOut}, Detail: true,
		Doc: "As user_speed.v1, with the tokens that the named tokenizer counts.",
		Of:  Each(single(userSpeed(byTokenizer))),
	}
	UserSpeedE2E = Metric{
		ID: "user_speed_e2e.v2", Name: "speed per user (E2E)", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Output tokens / E2E of a request, by usage: the wait for the first token slows it down.",
		Of:  Each(single(userSpeedE2E(byUsage))),
	}
	UserSpeedE2ECounted = Metric{
		ID: "user_speed_e2e_tokenizer.v2", Name: "speed per user (E2E, tokenizer)", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: countedOut}, Detail: true,
		Doc: "As user_speed_e2e.v2, with the tokens that the named tokenizer counts.",
		Of:  Each(single(userSpeedE2E(byTokenizer))),
	}
	PrefillSpeed = Metric{
		ID: "prefill_speed.v1", Name: "prefill speed", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Prompt tokens by usage / (first output − sent) of a request. Time in the server's queue and on the network is in it, and tokens found in a cache count like any other. genai-bench's input throughput of a request.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			first, ok := t.firstOutput()
			if !ok || t.UsageInput == nil || first <= t.Sent {
				return 0, false
			}
			return float64(*t.UsageInput) / seconds(first-t.Sent), true
		})),
	}
)

func userSpeed(tokens count) func(*Timeline) (float64, bool) {
	return func(t *Timeline) (float64, bool) {
		n, known := tokens.of(t, 2)
		first, _ := t.firstOutput()
		last, ok := t.lastOutput()
		return (n - 1) / seconds(last-first), known && ok && last > first
	}
}

func userSpeedE2E(tokens count) func(*Timeline) (float64, bool) {
	return func(t *Timeline) (float64, bool) {
		n, known := tokens.of(t, 1)
		return n / seconds(t.Done-t.Origin()), known && t.Done > t.Origin()
	}
}
