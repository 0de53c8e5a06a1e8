package spec

import "fmt"

// generatorsAgree wants load that can be split over generators, and a place for each.
func generatorsAgree(c *checker) {
	l := c.run.Spec.Load
	if l == nil {
		return
	}
	const path = "spec.load.generators"
	if l.Generators < 2 {
		if l.Launch != nil {
			c.fail("spec.load.launch", "says how load generators are started: want spec.load.generators of 2 or more beside it")
		}
		return
	}
	launchAgrees(c, "spec.load", l.Launch, []int{l.Generators})
	for _, field := range []struct {
		given bool
		why   string
	}{
		{l.MLPerf != nil, "one load generator alone knows when a query of spec.load.mlperf has ended"},
		{c.run.Spec.Evaluation != nil, "an evaluation asks each question once, of one load generator"},
	} {
		if field.given {
			c.failGot(path, fmt.Sprint(l.Generators), field.why+"; leave it out")
		}
	}
	eachTarget(&c.run, func(target string, t *Target) {
		if t.API == APICommand {
			c.failGot(path, fmt.Sprint(l.Generators), target+".api is command, a program of one load generator; leave it out")
		}
	})
	if l.Launch != nil && l.Launch.Restarts > 0 {
		c.fail("spec.load.launch.restarts", "a launch that lost a load generator is not made again: leave it out")
	}
}
