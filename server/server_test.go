package server

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/warehouse"
)

// A bundle that was uploaded is listed, shown, compared, followed and asked about, and a
// second copy of it changes nothing.
func TestUploadAndRead(t *testing.T) {
	s := open(t, nil)
	one, two := s.kept("run-1", "nightly", 1), s.kept("run-2", "nightly", 1.2)
	if !one.New || one.RunID != "run-1" || one.Status != "completed" {
		t.Errorf("kept %+v", one)
	}
	list := decode[runList](t, s.ask("GET", "/api/v1/runs?name=nightly", s.read, "").body)
	if list.All != 2 || len(list.Runs) != 2 {
		t.Errorf("%d of %d runs, want 2", len(list.Runs), list.All)
	}
	d := decode[warehouse.RunDetail](t, s.ask("GET", "/api/v1/runs/run-1", s.read, "").body)
	if d.Digest != one.Digest || len(d.Figures) == 0 || len(d.Files) == 0 {
		t.Errorf("detail of %s has %d figures and %d files", d.Digest, len(d.Figures), len(d.Files))
	}
	file := s.ask("GET", "/api/v1/runs/run-1/files/"+d.Files[0].Path, s.read, "")
	if file.status != http.StatusOK || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("a file: %d, %v", file.status, file.header)
	}
	for _, path := range []string{
		"/api/v1/runs/run-1/report", "/api/v1/compare?run=run-1&run=" + two.Digest, "/api/v1/history?metric=e2e", "/api/v1/lineage?of=" + one.Digest,
		"/api/v1/alerts", "/api/benchmark/contracts", "/api/openapi.json", "/healthz", "/metrics",
		"/", "/runs", "/runs/run-1", "/runs/run-1/report", "/frontier", "/history", "/history?metric=e2e", "/compare", "/compare?run=run-1&run=run-2&run=",
		"/lineage", "/lineage?of=" + one.Digest, "/lineage?of=12.3+ms", "/testbeds", "/alerts", "/login", "/assets/style.css", "/assets/charts.js", "/assets/dashboard.js", "/assets/icon.svg",
	} {
		if a := s.ask("GET", path, s.read, ""); a.status != http.StatusOK || len(a.body) == 0 {
			t.Errorf("%s: %d %.300s", path, a.status, a.body)
		}
	}
	a := s.ask("POST", "/api/v1/query", s.read, `{"sql": "SELECT count(*) FROM benchmark_run_fact"}`)
	if got := decode[warehouse.Answer](t, a.body); fmt.Sprint(got.Rows) != "[[2]]" {
		t.Errorf("query gave %s", a.body)
	}
	data, promised := packed(t, sealed(t, "run-3", "nightly", 1))
	for _, isNew := range []bool{true, false} {
		if a := s.upload(s.write, data, promised); a.status != http.StatusOK || decode[keptAnswer](t, a.body).New != isNew {
			t.Errorf("an upload that is replayed: %d %s, want new %v", a.status, a.body, isNew)
		}
	}
	left, err := os.ReadDir(filepath.Join(s.dir, "uploads"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%d uploads are left", len(left))
	}
}

// An upload goes on where it stopped, also when the server was restarted in between.
func TestUploadResumes(t *testing.T) {
	s := open(t, nil)
	data, promised := packed(t, sealed(t, "run-1", "nightly", 1))
	one := decode[upload](t, s.ask("POST", "/api/v1/uploads", s.write, promised).body)
	half := len(data) / 2
	at := decode[upload](t, s.ask("PATCH", "/api/v1/uploads/"+one.ID, s.write, data[:half], header("Upload-Offset", "0")).body)
	if at.Offset != int64(half) {
		t.Fatalf("offset %d, want %d", at.Offset, half)
	}
	if a := s.ask("POST", "/api/v1/uploads/"+one.ID+"/finish", s.write, ""); a.status != http.StatusConflict {
		t.Errorf("half a parcel was finished: %d %s", a.status, a.body)
	}
	if a := s.ask("PATCH", "/api/v1/uploads/"+one.ID, s.write, data[:half], header("Upload-Offset", "0")); a.status != http.StatusConflict {
		t.Errorf("the same bytes again: %d, want 409", a.status)
	}
	again := decode[upload](t, s.ask("POST", "/api/v1/uploads", s.write, promised).body)
	if again != (upload{one.ID, int64(half), int64(len(data))}) {
		t.Errorf("begun again it is %+v", again)
	}
	other, err := New(t.Context(), s.srv.o)
	must(t, err)
	defer other.Close()
	if got, err := other.uploads.state(one.ID); err != nil || got.Offset != int64(half) {
		t.Errorf("another server finds %+v, %v", got, err)
	}
	if a := s.upload(s.write, data, promised); a.status != http.StatusOK {
		t.Errorf("finished: %d %s", a.status, a.body)
	}
}

// What does not verify is not kept, and leaves nothing.
func TestUploadRefuses(t *testing.T) {
	s := open(t, nil)
	dir := sealed(t, "run-1", "nightly", 1)
	must(t, os.Chmod(filepath.Join(dir, "spec.yaml"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte("changed"), 0o644))
	data, promised := packed(t, dir)
	if a := s.upload(s.write, data, promised); a.status != http.StatusUnprocessableEntity || strings.Contains(a.body, s.dir) {
		t.Errorf("a changed bundle: %d %s", a.status, a.body)
	}
	good, goodPromise := packed(t, sealed(t, "run-2", "nightly", 1))
	wrong := strings.Replace(good, "nightly", "nightlx", 1)
	if a := s.upload(s.write, wrong, goodPromise); a.status != http.StatusUnprocessableEntity {
		t.Errorf("another digest than was promised: %d %s", a.status, a.body)
	}
	if list := decode[runList](t, s.ask("GET", "/api/v1/runs", s.read, "").body); list.All != 0 {
		t.Errorf("%d runs are there", list.All)
	}
	left, err := os.ReadDir(filepath.Join(s.dir, "uploads"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%d uploads are left", len(left))
	}
}

// A change for the worse raises an alert, and what is decided about it stays.
func TestAlerts(t *testing.T) {
	s := open(t, nil)
	for i := range 12 {
		slow := 1 + .002*float64(i%3)
		if i > 9 {
			slow *= 1.5
		}
		s.kept(fmt.Sprintf("run-%02d", i), "nightly", slow)
	}
	s.unvoid()
	s.srv.look(t.Context())
	list := decode[alertList](t, s.ask("GET", "/api/v1/alerts", s.read, "").body)
	if len(list.Alerts) == 0 {
		t.Fatal("no alert")
	}
	first := list.Alerts[0]
	if first.State != warehouse.AlertOpen || !first.Change.Worse {
		t.Errorf("the alert is %s, worse %v", first.State, first.Change.Worse)
	}
	body := fmt.Sprintf(`{"run": %q, "as": "not a regression", "why": "<script>alert(1)</script>"}`, first.Run)
	if a := s.ask("POST", "/api/v1/alerts/"+first.SeriesID, s.write, body); a.status != http.StatusOK {
		t.Fatalf("decide: %d %s", a.status, a.body)
	}
	state := func() (text string) {
		for _, a := range decode[alertList](t, s.ask("GET", "/api/v1/alerts", s.read, "").body).Alerts {
			if a.SeriesID == first.SeriesID {
				text = a.State + " by " + a.By
			}
		}
		return text
	}
	if got := state(); got != "not a regression by the write" {
		t.Errorf("the alert is %q", got)
	}
	if page := s.ask("GET", "/alarms", s.read, "").body; !strings.Contains(page, "week of") || !strings.Contains(page, " % [") {
		t.Errorf("the page of false alarms is\n%s", page)
	}
	page := s.ask("GET", "/alerts?state=not+a+regression", s.read, "").body
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the reason is not shown as the text that it is")
	}
	if a := s.ask("POST", "/api/v1/alerts/"+first.SeriesID, s.write, fmt.Sprintf(`{"run": %q, "as": "reopened", "why": "again"}`, first.Run)); a.status != http.StatusOK {
		t.Fatalf("reopen: %d %s", a.status, a.body)
	}
	if got := state(); got != "open by the write" {
		t.Errorf("the alert is %q", got)
	}
}

// What a stranger named a run is text on every page, and so is what a stranger asked for.
func TestHTMLInNames(t *testing.T) {
	s := open(t, nil)
	evil := `<img src=x onerror=alert(1)>"'` + "`"
	s.kept("run-1", "nightly", 1)
	s.kept("run-2", "<img src=x onerror=alert(1)>", 1.2)
	a := s.ask("GET", "/api/v1/runs?name=nightly", s.read, "")
	digest := decode[runList](t, a.body).Runs[0].Digest
	must(t, s.srv.write(t.Context(), func(w *warehouse.Warehouse) error {
		_, err := w.Decide(t.Context(), warehouse.Decision{Mark: "accepted", Run: digest, Why: evil, By: evil, At: s.clock()})
		return err
	}))
	other := "run-2"
	for _, path := range []string{
		"/", "/runs?text=" + urlText(evil), "/runs?name=" + urlText(evil), "/runs?since=" + urlText(evil), "/runs/" + urlText(evil), "/runs/run-1", "/history?metric=" + urlText(evil),
		"/history?metric=e2e&workload=" + urlText(evil), "/frontier?system=" + urlText(evil), "/frontier?latency=" + urlText(evil), "/compare?run=" + urlText(evil) + "&run=run-1",
		"/lineage?of=" + urlText(evil), "/lineage?of=" + digest, "/alerts?state=" + urlText(evil), "/login?next=" + urlText(evil), "/runs?" + urlText(evil) + "=1",
		"/gate?baseline=" + urlText(evil) + "&candidate=run-1&policy=" + urlText(evil), "/gate?baseline=run-1&candidate=" + other + "&policy=" + urlText(firstPolicy),
		"/compare?run=run-1&run=" + other, "/runs/run-1/inside", "/runs/" + other + "/inside", "/economy?system=" + urlText(evil), "/quality?model=" + urlText(evil), "/quality", "/jobs", "/jobs/" + urlText(evil),
		"/assets/" + urlText(evil), "/" + urlText(evil), "/api/v1/runs/" + urlText(evil),
	} {
		a := s.ask("GET", path, s.read, "")
		if strings.Contains(a.header.Get("Content-Type"), "html") && strings.Contains(a.body, "<img src=x") {
			t.Errorf("%s holds what was asked for as HTML", path)
		}
		if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s has not the headers of every answer: %v", path, a.header)
		}
	}
	if a := s.ask("GET", "/runs/run-1", s.read, ""); !strings.Contains(a.body, "&lt;img src=x") {
		t.Error("the reason is not shown")
	}
}
