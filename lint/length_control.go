package lint

import (
	"encoding/json"
	"fmt"

	"assay/finding"
	"assay/spec"
)

// LengthControl fires when two sides end their answers in different ways.
var LengthControl = Check{
	ID: "length-control", Severity: finding.Void, About: finding.Speed,
	Doc:     "The sides end answers in different ways: ignoreEOS, or stop words and lengths in the body.",
	When:    "sides or runs differ in ignoreEOS, or in a stop or length field of extraBody",
	Applies: func(f *Facts) bool { return f.Compared() && answersText(f) },
	Run:     lengthControl,
}

// lengthFields are the fields of a body that decide how long an answer is.
var lengthFields = []string{
	"ignore_eos", "min_tokens", "max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "stop", "stop_token_ids",
}

func lengthControl(f *Facts) Answer {
	var list []finding.Finding
	differ := func(what, side, a, b string) {
		if a == b {
			return
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("%s is %s for %s, and %s for the baseline", what, b, targetOf(side), a),
			Why:      "the side that may stop earlier does less work for each request",
			Fix:      "ask both sides alike",
		})
	}
	base, own := f, f.sides()
	if f.Against != nil {
		base = f.Against
		differ("load.ignoreEOS", "", shownEOS(base), shownEOS(f))
	} else {
		own = own[1:]
	}
	for _, side := range own {
		from := side
		if f.Against == nil {
			from = spec.BaselineSide
		}
		for _, field := range lengthFields {
			differ("target.extraBody."+field, side, bodyField(base.target(from), field), bodyField(f.target(side), field))
		}
	}
	return found(list...)
}

func shownEOS(f *Facts) string {
	load := f.Plan.Load()
	return fmt.Sprint(load != nil && load.IgnoreEOS != nil && *load.IgnoreEOS)
}

// bodyField is what a target's requests carry besides what the load says.
func bodyField(t spec.Target, name string) string {
	value, given := t.ExtraBody[name]
	if !given {
		return "not given"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
