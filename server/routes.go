package server

import (
	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/server/jobs"
	"assay/spec"
	"assay/suite/acts"
	"assay/tokens"
	"assay/warehouse"
)

var (
	listParams = []Param{
		{Name: "name", About: "name of the document"}, {Name: "system", About: "engine"}, {Name: "testbed", About: "machine"},
		{Name: "model", About: "model"}, {Name: "status", About: "completed, partial, failed or aborted"},
		{Name: "finding", About: "worst finding: void, caution or note"}, {Name: "text", About: "stands in id, name, system, model or testbed"},
		{Name: "since", About: "leave out what is older than a date, such as 2026-11-17"},
		{Name: "rows", About: "how many, 1 to 1000"}, {Name: "skip", About: "how many to leave out first"},
	}
	historyParams = []Param{
		{Name: "metric", About: "such as ttft:p99"}, {Name: "workload", About: "name of the document, or digest of the workload"},
		{Name: "system", About: "engine, or the beginning of it"}, {Name: "testbed", About: "machine, or the beginning of it"},
		{Name: "point", About: "such as concurrency=8"}, {Name: "side", About: "in runs of several"},
		{Name: "since", About: "a date"}, {Name: "last", About: "the most runs of a series, 1 to 2000"},
	}
	gateParams = []Param{
		{Name: "baseline", About: "run, by id or digest"}, {Name: "candidate", About: "run, by id or digest"},
		{Name: "policy", About: "the GatePolicy document, in YAML or JSON"},
	}
	callbackParams = []Param{
		{Name: "state", About: "what the browser was sent with"}, {Name: "code", About: "for which the issuer says who it is"},
		{Name: "iss", About: "the issuer"}, {Name: "error", About: "why it was refused"}, {Name: "error_description", About: "the same for people"},
	}
	runParams = []Param{{Name: "run", About: "two to five runs, the baseline first", Many: true}}
	smallBody = int64(64 << 10)
	formBody  = int64(16 << 10)
)

// table is everything that can be asked for.
func (s *Server) table() []Route {
	return append(s.interfaceRoutes(), s.pageRoutes()...)
}

// interfaceRoutes are for programs.
func (s *Server) interfaceRoutes() []Route {
	const v1 = "/api/v1"
	return []Route{
		{Method: "GET", Path: "/healthz", About: "Whether the server can answer.", Gives: map[string]string{}, Kind: JSON, Handle: s.health},
		{Method: "GET", Path: "/metrics", Scope: tokens.Read, About: "What the server counts about itself, for Prometheus.", Kind: Text, Handle: s.metrics},
		{Method: "GET", Path: "/api/openapi.json", Scope: tokens.Read, About: "This description.", Gives: map[string]any{}, Kind: JSON, Handle: s.openAPI},
		{Method: "GET", Path: "/api/benchmark/contracts", Scope: tokens.Read, About: "The documents that may be declared, and their schemas.", Gives: map[string]any{}, Kind: JSON, Handle: s.contracts},

		{Method: "GET", Path: v1 + "/runs", Scope: tokens.Read, About: "Runs, the newest first.", Query: listParams, Gives: runList{}, Kind: JSON, Turn: Reading, Handle: s.listRuns},
		{Method: "GET", Path: v1 + "/runs/{run}", Scope: tokens.Read, About: "What the catalogue knows of a run, by id, digest or the beginning of one.", Gives: warehouse.RunDetail{}, Kind: JSON, Turn: Reading, Handle: s.showRun},
		{Method: "GET", Path: v1 + "/runs/{run}/report", Scope: tokens.Read, About: "The report of a run, as assay report --json prints it.", Gives: map[string]any{}, Kind: JSON, Turn: Reading, Handle: s.reportJSON},
		{Method: "GET", Path: v1 + "/runs/{run}/files/{path...}", Scope: tokens.Read, About: "A file of the bundle of a run.", Kind: Data, Turn: Reading, Handle: s.showFile},
		{Method: "POST", Path: v1 + "/runs/{run}/acts", Scope: tokens.Admin, Most: smallBody, About: "Accept, publish, retract, supersede or restore a run.", Takes: decision{}, Gives: acts.Act{}, Kind: JSON, Handle: s.decideRun},

		{Method: "POST", Path: v1 + "/runs", Scope: tokens.Run, Most: spec.MaxDocumentBytes, Kinds: documentKinds, About: "Ask for a run: a BenchmarkRun document in YAML or JSON, within what assay serve --runs allows.", Query: []Param{{Name: "launcher", About: "local, which is the default, or slurm"}}, Gives: jobs.Job{}, Kind: JSON, Handle: s.askRun},
		{Method: "DELETE", Path: v1 + "/runs/{run}", Scope: tokens.Run, About: "End a run that was asked for, by the id of its job. What it has measured is kept.", Gives: jobs.Job{}, Kind: JSON, Handle: s.cancelRun},
		{Method: "GET", Path: v1 + "/runs/{run}/events", Scope: tokens.Read, About: "What happens to a run that was asked for, as server-sent events: state and figures every second, then the outcome.", Kind: Events, Stream: true, Handle: s.runEvents},
		{Method: "GET", Path: v1 + "/jobs", Scope: tokens.Read, About: "Runs that were asked for, the newest first.", Gives: jobList{}, Kind: JSON, Handle: s.listJobs},
		{Method: "GET", Path: v1 + "/jobs/{run}", Scope: tokens.Read, About: "One run that was asked for, and what was last seen of it.", Gives: jobNow{}, Kind: JSON, Handle: s.showJob},

		{Method: "GET", Path: v1 + "/history", Scope: tokens.Read, About: "Results over time, and where they changed.", Query: historyParams, Gives: warehouse.History{}, Kind: JSON, Turn: Reading, Handle: s.showHistory},
		{Method: "GET", Path: v1 + "/compare", Scope: tokens.Read, About: "Two to five runs compared.", Query: runParams, Gives: compare.Report{}, Kind: JSON, Turn: Reading, Handle: s.showComparison},
		{Method: "GET", Path: v1 + "/gate", Scope: tokens.Read, About: "What a GatePolicy says about two runs, and why.", Query: gateParams, Gives: gate.Result{}, Kind: JSON, Turn: Reading, Handle: s.showGate},
		{Method: "GET", Path: v1 + "/lineage", Scope: tokens.Read, About: "From something printed to its raw records, and back.", Query: []Param{{Name: "of", About: "a number with its unit, words of a claim, or a digest"}}, Gives: warehouse.Lineage{}, Kind: JSON, Turn: Reading, Handle: s.showLineage},
		{Method: "POST", Path: v1 + "/query", Scope: tokens.Read, Most: smallBody, About: "One SELECT over the catalogue.", Takes: question{}, Gives: warehouse.Answer{}, Kind: JSON, Turn: Asking, Handle: s.query},

		{Method: "GET", Path: v1 + "/alerts", Scope: tokens.Read, About: "Changes for the worse, with what was decided about them.", Gives: alertList{}, Kind: JSON, Turn: Reading, Handle: s.listAlerts},
		{Method: "POST", Path: v1 + "/alerts/{series}", Scope: tokens.Write, Most: smallBody, About: "Decide about an alert: acknowledged, fixed, not a regression or reopened.", Takes: decision{}, Gives: acts.Act{}, Kind: JSON, Handle: s.decideAlert},

		{Method: "POST", Path: v1 + "/uploads", Scope: tokens.Write, Most: smallBody, About: "Begin to upload a bundle, or find how far an upload of it got.", Takes: promise{}, Gives: upload{}, Kind: JSON, Handle: s.beginUpload},
		{Method: "GET", Path: v1 + "/uploads/{id}", Scope: tokens.Write, About: "How far an upload got.", Gives: upload{}, Kind: JSON, Handle: s.showUpload},
		{Method: "PATCH", Path: v1 + "/uploads/{id}", Scope: tokens.Write, Most: mostChunk, About: "Add bytes to an upload, at the offset that the header Upload-Offset names.", Gives: upload{}, Kind: JSON, Handle: s.addUpload},
		{Method: "DELETE", Path: v1 + "/uploads/{id}", Scope: tokens.Write, About: "Give an upload up.", Kind: JSON, Handle: s.dropUpload},
		{Method: "POST", Path: v1 + "/uploads/{id}/finish", Scope: tokens.Write, About: "Verify the bundle and keep it. It counts once this has answered.", Gives: keptAnswer{}, Kind: JSON, Handle: s.finishUpload},
	}
}

// pageRoutes are for people.
func (s *Server) pageRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/{$}", Scope: tokens.Read, About: "Overview.", Kind: HTML, Turn: Reading, Handle: s.overview},
		{Method: "GET", Path: "/runs", Scope: tokens.Read, About: "Runs with filters.", Query: listParams, Kind: HTML, Turn: Reading, Handle: s.runsPage},
		{Method: "GET", Path: "/runs/{run}", Scope: tokens.Read, About: "One run.", Kind: HTML, Turn: Reading, Handle: s.runPage},
		{Method: "GET", Path: "/runs/{run}/report", Scope: tokens.Read, About: "The report of a run.", Kind: HTML, Turn: Reading, Handle: s.reportPage},
		{Method: "GET", Path: "/frontier", Scope: tokens.Read, About: "Throughput against latency.", Query: append([]Param{{Name: "latency", About: "metric on the axis"}}, listParams[:8]...), Kind: HTML, Turn: Reading, Handle: s.frontierPage},
		{Method: "GET", Path: "/history", Scope: tokens.Read, About: "Results over time.", Query: historyParams, Kind: HTML, Turn: Reading, Handle: s.historyPage},
		{Method: "GET", Path: "/compare", Scope: tokens.Read, About: "Runs compared.", Query: runParams, Kind: HTML, Turn: Reading, Handle: s.comparePage},
		{Method: "GET", Path: "/runs/{run}/inside", Scope: tokens.Read, About: "The client's health and the ranks of a run.", Kind: HTML, Turn: Reading, Handle: s.insidePage},
		{Method: "GET", Path: "/economy", Scope: tokens.Read, About: "Cost, energy and carbon.", Query: listParams[:8], Kind: HTML, Turn: Reading, Handle: s.economyPage},
		{Method: "GET", Path: "/quality", Scope: tokens.Read, About: "Quality beside speed.", Query: listParams[:8], Kind: HTML, Turn: Reading, Handle: s.qualityPage},
		{Method: "GET", Path: "/gate", Scope: tokens.Read, About: "Why a gate passes or does not.", Query: gateParams, Kind: HTML, Turn: Reading, Handle: s.gatePage},
		{Method: "GET", Path: "/lineage", Scope: tokens.Read, About: "Where a number comes from.", Query: []Param{{Name: "of", About: "what was printed"}}, Kind: HTML, Turn: Reading, Handle: s.lineagePage},
		{Method: "GET", Path: "/testbeds", Scope: tokens.Read, About: "Reliability and noise of machines.", Kind: HTML, Turn: Reading, Handle: s.testbedsPage},
		{Method: "GET", Path: "/alarms", Scope: tokens.Read, About: "False alarms and delays, week by week.", Kind: HTML, Turn: Reading, Handle: s.alarmsPage},
		{Method: "GET", Path: "/alerts", Scope: tokens.Read, About: "Alerts.", Query: []Param{{Name: "state", About: "open, acknowledged, …"}}, Kind: HTML, Turn: Reading, Handle: s.alertsPage},
		{Method: "POST", Path: "/alerts/{series}", Scope: tokens.Write, Most: formBody, About: "Decide about an alert, from a form.", Kind: HTML, Handle: s.alertForm},
		{Method: "GET", Path: "/jobs", Scope: tokens.Read, About: "Runs that were asked for.", Kind: HTML, Handle: s.jobsPage},
		{Method: "POST", Path: "/jobs", Scope: tokens.Run, Most: 3*spec.MaxDocumentBytes + formBody, About: "Ask for a run, from a form.", Kind: HTML, Handle: s.jobForm},
		{Method: "GET", Path: "/jobs/{run}", Scope: tokens.Read, About: "A run while it goes on.", Kind: HTML, Handle: s.jobPage},
		{Method: "POST", Path: "/jobs/{run}/cancel", Scope: tokens.Run, Most: formBody, About: "End a run, from a form.", Kind: HTML, Handle: s.cancelForm},
		{Method: "GET", Path: "/login", About: "Where a browser shows its token.", Query: []Param{{Name: "next", About: "where to go then"}}, Kind: HTML, Handle: s.loginPage},
		{Method: "GET", Path: "/login/{issuer}", About: "Begin to sign in with an issuer.", Query: []Param{{Name: "next", About: "where to go then"}, {Name: "moved", About: "that it is the name to which issuers send people back"}}, Kind: HTML, Handle: s.beginSignIn},
		{Method: "GET", Path: "/login/{issuer}/callback", About: "Where a browser comes back from an issuer.", Query: callbackParams, Others: true, Kind: HTML, Handle: s.finishSignIn},
		{Method: "POST", Path: "/login", Most: formBody, About: "Begin a session.", Kind: HTML, Handle: s.login},
		{Method: "POST", Path: "/logout", Most: formBody, About: "End a session.", Kind: HTML, Handle: s.logout},
		{Method: "GET", Path: "/assets/{name}", About: "Style and script.", Kind: Text, Handle: s.asset},
	}
}
