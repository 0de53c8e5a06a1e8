package lint

import (
	"fmt"

	"assay/finding"
)

// ProtocolSurface fires when two systems were asked in different ways.
var ProtocolSurface = Check{
	ID: "protocol-surface", Code: "L-21", Severity: finding.Caution,
	Doc:     "Chat, completions and gRPC differ in templates, token counts and work on the way.",
	When:    "sides or runs use different APIs or HTTP versions, stream on one side only, or declare other deployments or protocol surfaces (target.system)",
	Applies: func(f *Facts) bool { return serves(f) && (f.Against != nil || len(f.Plan.Candidates()) > 0) },
	Run:     protocolSurface,
}

func protocolSurface(f *Facts) Answer {
	var list []finding.Finding
	compare := func(a, b surface) {
		if a == b {
			return
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the baseline is asked by %s and the candidate by %s", a, b),
			Why:      "templates, token counts and the work of the front end differ with the way of asking",
			Fix:      "ask both sides by the same API, in the same way",
		})
	}
	sides := f.sides()
	for _, candidate := range sides[1:] {
		compare(f.surface(sides[0]), f.surface(candidate))
	}
	if f.Against != nil {
		compare(f.Against.surface(f.Against.sides()[0]), f.surface(sides[len(sides)-1]))
	}
	return found(list...)
}

// A surface is how a target is asked.
type surface struct {
	api    string
	stream bool
	http2  bool

	deployment, front string // as declared
}

func (f *Facts) surface(side string) surface {
	t, s := f.target(side), true
	if load := f.Plan.Load(); load != nil && load.Stream != nil {
		s = *load.Stream
	}
	system := f.system(side)
	return surface{t.API, s, t.HTTP2, system.DeploymentModel, system.ProtocolSurface}
}

func (s surface) String() string {
	text := s.api
	if s.http2 {
		text += " over HTTP/2"
	}
	if !s.stream {
		text += " without a stream"
	}
	if s.front != "" {
		text += " at " + s.front
	}
	if s.deployment != "" {
		text += " of a " + s.deployment
	}
	return text
}
