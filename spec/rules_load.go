package spec

// authComplete wants a credential to come from somewhere, and only where one
// is asked for.
func authComplete(c *checker) {
	eachTarget(&c.run, func(path string, t *Target) { authOf(c, path+".auth", t.Auth) })
}

func authOf(c *checker, path string, a Auth) {
	sources := 0
	for _, source := range []string{a.Env, a.File} {
		if source != "" {
			sources++
		}
	}
	switch {
	case a.Kind == AuthAWS || a.Kind == AuthAzure || a.Kind == AuthGoogle || a.Kind == AuthOCI:
		if sources > 0 || a.Header != "" {
			c.failGot(path, "a credential for kind "+a.Kind, "kind "+a.Kind+" finds its own; leave out env, file and header")
		}
	case a.Kind == AuthNone && (sources > 0 || a.Header != ""):
		c.failGot(path, "a credential for kind none", "set kind to bearer or header")
	case a.Kind != AuthNone && a.Kind != "" && sources != 1:
		c.failGot(path, "", "kind "+a.Kind+" needs exactly one of env and file")
	}
	if a.Kind == AuthHeader && a.Header == "" {
		c.failGot(path+".header", "nothing", "kind header needs the name of the header")
	}
	if a.Kind == AuthBearer && a.Header != "" {
		c.fail(path+".header", "belongs to kind header; bearer uses Authorization")
	}
}

func tlsComplete(c *checker) {
	eachTarget(&c.run, func(path string, t *Target) { tlsOf(c, path+".tls", t.TLS) })
}

func tlsOf(c *checker, path string, t TLS) {
	if t.InsecureSkipVerify && c.publication {
		c.fail(path+".insecureSkipVerify", "must be false for publication-grade runs")
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		c.failGot(path, "one of certFile and keyFile", "a client certificate needs both")
	}
}

// loadAgrees wants each field of load to mean something under the concurrency
// model.
func loadAgrees(c *checker) {
	l := c.run.Spec.Load
	if l == nil || c.anyUnread("spec.workload.concurrencyModel") {
		return
	}
	open := c.run.Spec.Workload.ConcurrencyModel == OpenLoop
	for _, f := range []struct {
		name    string
		written bool
		open    bool // the model the field belongs to
	}{
		{"concurrency", l.Concurrency != nil, false},
		{"thinkTime", l.ThinkTime != 0, false},
		{"start", l.Start != "", false},
		{"rate", l.Rate != nil, true},
		{"arrival", l.Arrival != "", true},
		{"traceRef", l.TraceRef != "" && c.run.Spec.Workload.Session == nil, true},
	} {
		if f.written && f.open != open {
			c.fail("spec.load."+f.name, "belongs to concurrencyModel "+modelName(f.open))
		}
	}
	if open {
		openLoadAgrees(c, l)
	} else if l.Concurrency != nil && l.Stages != nil {
		c.fail("spec.load.stages", "give concurrency or stages, not both")
	}
	stagesAgree(c, l, open)
}

func modelName(open bool) string {
	if open {
		return OpenLoop
	}
	return ClosedLoop
}

// openLoadAgrees wants one source of arrival times.
func openLoadAgrees(c *checker, l *Load) {
	given := ""
	for _, source := range []struct {
		name    string
		written bool
	}{{"rate", l.Rate != nil}, {"stages", l.Stages != nil}, {"traceRef", l.TraceRef != ""}} {
		switch {
		case source.written && given != "":
			c.fail("spec.load."+source.name, "give "+given+" or "+source.name+", not both")
		case source.written:
			given = source.name
		}
	}
	if (l.Arrival == ArrivalTrace) != (l.TraceRef != "") && l.Arrival != "" {
		c.fail("spec.load.arrival", "trace and traceRef go together")
	}
	if l.Burstiness != 1 && l.Burstiness != 0 && l.Arrival != ArrivalGamma {
		c.fail("spec.load.burstiness", "belongs to arrival gamma")
	}
}

// stagesAgree wants each stage to say the load of its model, and some stage to
// offer any.
func stagesAgree(c *checker, l *Load, open bool) {
	any := len(l.Stages) == 0
	for i, s := range l.Stages {
		path := itemPath("spec.load.stages", i)
		if s.Ramp == RampExponential && (i == 0 || !s.offers() || !l.Stages[i-1].offers()) {
			c.fail(path+".ramp", "an exponential ramp needs load at both ends: begin with a stage before it, and end above zero")
		}
		if open && s.Concurrency != 0 {
			c.fail(path+".concurrency", "belongs to concurrencyModel "+ClosedLoop)
		}
		if !open && s.Rate != 0 {
			c.fail(path+".rate", "belongs to concurrencyModel "+OpenLoop)
		}
		any = any || s.Rate > 0 || s.Concurrency > 0
	}
	if !any {
		c.fail("spec.load.stages", "must offer load in at least one stage")
	}
}

// offers reports whether the stage ends with any load.
func (s Stage) offers() bool { return s.Rate > 0 || s.Concurrency > 0 }

// sloBounds says which bound each metric takes that is not one of RequestTimes and
// RequestSpeeds.
var sloBounds = map[string]string{
	"ttft": "max", "tpot": "max", "itl": "max", "e2e": "max",
	"error_rate":        "maxRatio",
	"tokens_per_second": "min", "requests_per_second": "min",
}

func objectivesBounded(c *checker) {
	for i, o := range c.run.Spec.SLO {
		path := itemPath("spec.slo", i)
		want := ObjectiveBound(o.Metric)
		if want == "" || c.anyUnread(path) {
			continue // reading has said so
		}
		given := map[string]bool{"max": o.Max != 0, "maxRatio": o.MaxRatio != 0, "min": o.Min != 0}
		for _, bound := range []string{"max", "maxRatio", "min"} {
			if given[bound] && bound != want {
				c.fail(path+"."+bound, o.Metric+" is bounded by "+want)
			}
		}
		if !given[want] {
			c.failGot(path, "no "+want, o.Metric+" needs "+want)
		}
	}
}

// secretsReferenced warns of literal secrets, and forbids them where the
// document will be published.
func secretsReferenced(c *checker) {
	for _, s := range literalSecrets(c.run) {
		message := "a secret must not be written out: " + s.advice
		if c.publication {
			c.failGot(s.path, Redacted, message)
			continue
		}
		c.add(s.path, Redacted, message, SeverityWarning)
	}
}
