package spec

import "slices"

// A Rule is one thing a valid document keeps to. C1 to C63 are the rules of the
// published contract, with its messages; A1 and up are assay's own; W1 and up
// hold for a WorkloadSpec.
type Rule struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	Doc  string `json:"doc"`

	// check looks for violations. It is nil where reading the document finds
	// them (types, names, bounds).
	check func(*checker)

	// lenient rules only warn about a document of the reference apiVersion: its
	// own template does not keep them.
	lenient bool
}

// Rules lists every rule in the order of checking.
var Rules = slices.Concat(contractRules, additionalRules, workloadSpecRules, gatePolicyRules, scheduleRules)

// The rules that reading finds.
const (
	ruleUnknown   = "A12"
	ruleDuplicate = "A13"
	ruleWords     = "A17"
	ruleTypes     = "A18"
	ruleReadable  = "A21"
	ruleRequired  = "A22"
	ruleBounds    = "A23"
	ruleUnits     = "A24"
	ruleForm      = "A25"
)

// A checker applies rules to one document and gathers faults.
type checker struct {
	// doc is what the rules see: the document as written where everything must
	// be declared, the resolved one otherwise.
	doc *node

	// source is the document as written, for places.
	source *node

	// run is doc as a typed value; workload, policy and schedule likewise for documents of
	// those kinds.
	run      Run
	workload WorkloadSpec
	policy   GatePolicy
	schedule BenchmarkSchedule

	strict       bool // everything must be declared
	reference    bool // of the reference apiVersion
	publication  bool
	workloadType string // a bad one counts as mixed, as in the contract

	unread map[string]bool // paths that reading already found faulty
	rule   Rule
	faults []Fault
}

// apply runs the rules in order.
func (c *checker) apply(rules []Rule) {
	for _, rule := range rules {
		if rule.check != nil {
			c.rule = rule
			rule.check(c)
		}
	}
}

func (c *checker) at(path string) *node { return c.doc.at(path) }

// fail notes that the value at path breaks the current rule.
func (c *checker) fail(path, message string) { c.failGot(path, c.got(path), message) }

// got describes the value at path: as it was written, or else its default.
func (c *checker) got(path string) string {
	if written := c.source.at(path); written != nil {
		return written.got()
	}
	if n := c.at(path); n != nil && !(n.shape == stringShape && n.text == "") {
		return n.got()
	}
	return "nothing"
}

// failGot is fail with its own words for what was got.
func (c *checker) failGot(path, got, message string) {
	severity := SeverityError
	if c.reference && c.rule.lenient {
		severity = SeverityWarning
	}
	c.add(path, got, message, severity)
}

// warn notes something that does not forbid the document.
func (c *checker) warn(path, message string) {
	c.add(path, c.got(path), message, SeverityWarning)
}

func (c *checker) add(path, got, message string, severity Severity) {
	line, column := c.source.locate(path)
	c.faults = append(c.faults, Fault{
		Line: line, Column: column, Path: path, Got: got, Want: message,
		Rule: c.rule.ID, Message: message, Severity: severity,
	})
}

// trains and serves say which kinds of work the contract assumes.
func (c *checker) trains() bool { return c.workloadType != Inference }
func (c *checker) serves() bool { return c.workloadType != Training }
