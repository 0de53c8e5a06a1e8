package hostile

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/record"
	"assay/target"
)

// allAnswers is the whole table.
func allAnswers(t *testing.T) []*answer {
	list := slicesOf(endlessBodies(), packedBodies(), countingBodies(), oddBodies(), heads(), framings(), http2Answers())
	return append(list, dialectAnswers(t)...)
}

func slicesOf(parts ...[]*answer) []*answer {
	var list []*answer
	for _, part := range parts {
		list = append(list, part...)
	}
	return list
}

// dialectAnswers are what a hostile server can do in any API: never end, say a list
// of nothing in place of an answer, and count tokens as nobody can.
func dialectAnswers(t *testing.T) []*answer {
	var list []*answer
	for _, api := range target.All {
		if api.Name == "command" {
			continue // a program of the user's own, not a server
		}
		list = append(list,
			&answer{name: api.Name + ": no end", api: api.Name, body: forever("\x00"), want: record.TooLarge},
			&answer{name: api.Name + ": no end, not streamed", api: api.Name, unary: true, body: forever("["), want: record.TooLarge},
		)
		list = append(list, miscounted(t, api.Name)...)
	}
	return list
}

// counts are the numbers of tokens in a recorded answer.
var counts = regexp.MustCompile(`("\w*(?i:tokens|tokens_predicted|tokens_evaluated|TokenCount|input_length|cache_n)\w*" ?: ?)\d+`)

// miscounted is the recorded answer of an API with every count below zero.
func miscounted(t *testing.T, api string) []*answer {
	t.Helper()
	var list []*answer
	for _, kind := range []string{"stream.sse", "unary.json"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "target", "testdata", "dialects", api, kind))
		if err != nil {
			continue // not every API streams
		}
		body := counts.ReplaceAllString(string(data), "${1}-7")
		if body == string(data) {
			continue // nor counts
		}
		list = append(list, &answer{
			name: api + ": counts below zero, " + kind, api: api, unary: kind == "unary.json",
			header: []string{"Content-Type", map[string]string{"stream.sse": "text/event-stream", "unary.json": "application/json"}[kind]},
			body:   say(strings.ToValidUTF8(body, "?")), want: record.OK, flag: "impossible_usage",
		})
	}
	return list
}
