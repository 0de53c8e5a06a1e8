package lint

import (
	"fmt"

	"assay/finding"
	"assay/spec"
)

// SharedServer fires when the launches of a run measure one process of the server.
var SharedServer = Check{
	ID: "shared-server", Severity: finding.Caution,
	Doc: "Launches that share one server process are not independent: what a restart changes is in no interval.",
	When: "the server of a run with several launches is started once, or not by assay: no publication " +
		"grade (caution; a note in other runs, whose claims say it)",
	Applies: func(f *Facts) bool { return serves(f) && f.Manifest.Source == nil && len(f.completed()) > 1 },
	Run:     sharedServer,
}

// SharesServer says that the launches of a target meet one process, as far as the
// plan knows: assay starts none, or one for all. A command is started by each launch.
func SharesServer(t spec.Target) bool {
	return t.API != "command" && (t.Server == nil || t.Server.Restart == spec.RestartRun)
}

func sharedServer(f *Facts) Answer {
	// The sentence of every claim says so besides; a publication cannot have it.
	severity := finding.Note
	if publication(f) {
		severity = finding.Caution
	}
	var list []finding.Finding
	for _, side := range f.sides() {
		t := f.target(side)
		if !SharesServer(t) {
			continue
		}
		how := "target.server.restart is run"
		if t.Server == nil {
			how = "assay starts none"
		}
		list = append(list, finding.Finding{
			Severity: severity,
			Message:  fmt.Sprintf("the %d launches of %s share one server process: %s", f.launchesOf(side), targetOf(side), how),
			Why:      "memory layout, compiled kernels and placement are drawn once for all of them: the interval over launches does not hold what another start would give",
			Fix:      "let assay start the server anew for each launch: target.server with restart: launch",
		})
	}
	return found(list...)
}

// launchesOf counts the completed launches of a side.
func (f *Facts) launchesOf(side string) (n int) {
	for _, l := range f.completed() {
		if l.Side == side {
			n++
		}
	}
	return n
}
