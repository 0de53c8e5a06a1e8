package run

import (
	"context"

	"assay/record"
)

// goServer is how programs built with Go's fasthttp name themselves in every answer.
// vLLM, SGLang and most engines answer through uvicorn. llm-d-inference-sim, which
// lists its models as vLLM's, is built with it.
const goServer = "fasthttp"

// unmask records what answers, and whether that is a simulator in an engine's clothes.
// Its configuration is asked for only where the name of the HTTP server fits: nobody
// else's administration is any of our business.
func (e *execution) unmask(ctx context.Context, answeredBy string, env record.Environment) {
	if answeredBy == "" {
		return
	}
	env.Set("server.http", answeredBy)
	if answeredBy != goServer {
		return
	}
	var config any
	if _, err := e.ask(ctx, "/admin/config", &config); err != nil {
		return // its earlier versions have no such page
	}
	if hasKey(config, "time-to-first-token") && hasKey(config, "inter-token-latency") {
		env.Set("server.simulator", "llm-d-inference-sim: GET /admin/config tells the latencies that it was given")
	}
}

// hasKey reports whether an object of a JSON document has a field of that name, at any
// depth.
func hasKey(document any, name string) bool {
	switch v := document.(type) {
	case map[string]any:
		if _, has := v[name]; has {
			return true
		}
		for _, inner := range v {
			if hasKey(inner, name) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if hasKey(inner, name) {
				return true
			}
		}
	}
	return false
}
