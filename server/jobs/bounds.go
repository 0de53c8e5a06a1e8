package jobs

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"assay/spec"
)

// Bounds are what documents of others may do on this machine. The zero Bounds allow none
// of them: no target is named.
type Bounds struct {
	Targets   []string // HOST:PORT that may be measured
	Files     string   // folder of data sets, tokenizers and traces; empty means that none is read
	Env       []string // variables that may hold a credential of a target
	Launchers []string // "local", "slurm"
}

// The most that one document may ask for. A run is also bounded in time and in bytes
// while it goes on.
const (
	mostUsers     = 20_000
	mostProcesses = 64
)

// A kind says what a field of a document can do to the machine that carries it out.
type kind int

const (
	refused   kind = iota // starts programs, reads or writes anywhere, or goes to other hosts
	free                  // describes the workload or the judgement
	file                  // reads a file
	address               // asks a server
	secret                // may be a reference to a variable or a file
	variable              // names a variable
	authKind              // how a credential is found
	users                 // how many at once
	processes             // how many are started
)

// fields say of every part of a document what it can do; the longest that fits a path
// counts. What is not listed is refused, so that a new field of the format does nothing
// here until somebody has thought about it.
var fields = map[string]kind{
	"apiVersion": free, "kind": free, "metadata": free,
	"spec.intent": free, "spec.layers": free, "spec.layers.suites.repoCommand": refused,

	"spec.workload": free, "spec.workload.prompt.dataset.path": file, "spec.workload.tokenizer.path": file,
	"spec.workload.session.tool.command": refused, "spec.workload.session.tools.command": refused,

	"spec.target": refused, "spec.target.url": address, "spec.target.urls": address, "spec.target.metrics.urls": address,
	"spec.target.api": free, "spec.target.model": free, "spec.target.headers": secret, "spec.target.query": secret,
	"spec.target.auth.kind": authKind, "spec.target.auth.header": free, "spec.target.auth.env": variable,
	"spec.target.http2": free, "spec.target.reader": free, "spec.target.traceparent": free, "spec.target.extraBody": free,
	"spec.target.omitBody": free, "spec.target.timeout": free, "spec.target.idleTimeout": free, "spec.target.answerLimit": free,
	"spec.target.system": free, "spec.target.tls.insecureSkipVerify": free, "spec.target.tls.serverName": free, "spec.target.metrics": free,

	"spec.load": free, "spec.load.launch": refused, "spec.load.trace.path": file, "spec.load.traceRef": file,
	"spec.load.concurrency": users, "spec.load.maxInFlight": users, "spec.load.rate": users,
	"spec.load.stages.rate": users, "spec.load.stages.concurrency": users, "spec.load.search.max": users, "spec.load.generators": processes,

	"spec.evaluation": free, "spec.evaluation.tasks.path": file, "spec.evaluation.tasks.fewShotPath": file, "spec.evaluation.scorers": refused,

	"spec.slo": free, "spec.cost": free, "spec.bounds": free, "spec.seed": free, "spec.seedDrawn": free, "spec.metrics": free,
	"spec.comparison": free, "spec.comparison.baseline.artifactRef": refused, "spec.comparison.candidate.artifactRef": refused,
	"spec.trials": free, "spec.bottleneckAnalysis": free, "spec.distributed": free, "spec.observability": free,
	"spec.provenance": free, "spec.provenance.inputs": refused, "spec.executionPolicy": free, "spec.automation": free,

	"spec.train": free, "spec.train.command": refused, "spec.train.python": refused, "spec.train.launch": refused, "spec.train.ranks": processes,
	"spec.train.vary": refused, "spec.train.across": refused, "spec.train.loaderWorkers": processes,
	"spec.train.saveEvery": refused, "spec.train.saveDir": refused,
	"spec.collectives": free, "spec.collectives.python": refused, "spec.collectives.settings": refused, "spec.collectives.launch": refused, "spec.collectives.ranks": processes,

	// What a published document says about where its results go; where they would be copied
	// is refused.
	"spec.sinks": free, "spec.sinks.rawArtifacts.pathTemplate": refused, "spec.sinks.rawArtifacts.store": refused,
	"spec.sinks.hotMetrics.listen": refused, "spec.sinks.hotMetrics.remoteWrite": refused, "spec.sinks.hotMetrics.otlp": refused,
}

// kindOf finds what a path can do. Candidates are targets.
func kindOf(path string) kind {
	if rest, ok := strings.CutPrefix(path, "spec.candidates.target"); ok {
		path = "spec.target" + rest
	}
	if path == "spec.candidates.name" {
		return free
	}
	for {
		if k, listed := fields[path]; listed {
			return k
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return refused
		}
		path = path[:i]
	}
}

// Check says everything that a document asks for and may not.
func (b Bounds) Check(run spec.Run) error {
	var faults []error
	walk(reflect.ValueOf(run), "", func(path string, v reflect.Value) {
		if err := b.field(kindOf(path), v); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", path, err))
		}
	})
	return errors.Join(faults...)
}

// walk visits every field that a document states: values, lists and maps of values, and
// secrets.
func walk(v reflect.Value, path string, visit func(string, reflect.Value)) {
	switch {
	case v.IsZero():
		return
	case v.Type() == reflect.TypeFor[spec.Secret]():
		visit(path, v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		walk(v.Elem(), path, visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), path, visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walk(v.MapIndex(key), path, visit)
		}
	case reflect.Struct:
		if !walkFields(v, path, visit) {
			visit(path, v)
		}
	default:
		visit(path, v)
	}
}

// walkFields reports whether a struct has fields of a document.
func walkFields(v reflect.Value, path string, visit func(string, reflect.Value)) (any bool) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		any = true
		walk(v.Field(i), strings.TrimPrefix(path+"."+name, "."), visit)
	}
	return any
}

// field judges one value.
func (b Bounds) field(k kind, v reflect.Value) error {
	switch k {
	case free:
		return nil
	case file:
		return b.file(v.String())
	case address:
		return b.address(v.String())
	case secret:
		s, is := v.Interface().(spec.Secret)
		switch {
		case !is || s.File != "":
			return errors.New("a file of the server is not read: write the value, or {env: NAME} of one that assay serve --run-env names")
		case s.Env != "":
			return b.variable(s.Env)
		}
		return nil
	case variable:
		return b.variable(v.String())
	case authKind:
		if !slices.Contains([]string{"none", "bearer", "header"}, v.String()) {
			return errors.New("want none, bearer or header: credentials of this machine are not used")
		}
		return nil
	case users:
		return atMost(v, mostUsers)
	case processes:
		return atMost(v, mostProcesses)
	}
	return errors.New("not allowed in a run that is asked for over the network: it starts programs, touches files of the server or goes to other hosts. Run it with assay run, and bring the bundle with assay push")
}

func atMost(v reflect.Value, most float64) error {
	n := 0.
	switch {
	case v.CanInt():
		n = float64(v.Int())
	case v.CanFloat():
		n = v.Float()
	default:
		return nil // words, such as the ramp of a stage
	}
	if n > most {
		return fmt.Errorf("%g: at most %g in a run that is asked for over the network", n, most)
	}
	return nil
}

// byContent is a reference that no file can have for a name below a folder.
var byContent = regexp.MustCompile(`^[^/\\]*sha256:[0-9a-f]{64}$`)

// file allows what lies in the folder of files, without a way out of it.
func (b Bounds) file(path string) error {
	if byContent.MatchString(path) {
		return nil // of the file that another field names
	}
	if b.Files == "" {
		return errors.New("no file is read: assay serve --run-files names a folder of those that may be")
	}
	root, err := os.OpenRoot(b.Files)
	if err != nil {
		return errors.New("the folder of assay serve --run-files cannot be opened")
	}
	defer root.Close() // nothing is written
	// A root follows no link out of it, nor a path that climbs.
	if _, err := root.Stat(filepath.FromSlash(path)); err != nil {
		return fmt.Errorf("%q is not in the folder of assay serve --run-files, or leads out of it", path)
	}
	return nil
}

func (b Bounds) address(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" {
		return errors.New("want http:// or https:// and a host")
	}
	host := u.Host
	if u.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	if !slices.ContainsFunc(b.Targets, func(t string) bool { return strings.EqualFold(t, host) }) {
		return fmt.Errorf("%s may not be measured from here: assay serve --run-target names what may be", host)
	}
	return nil
}

func (b Bounds) variable(name string) error {
	if !slices.Contains(b.Env, name) {
		return fmt.Errorf("the variable %s is not given to runs: assay serve --run-env names those that are", name)
	}
	return nil
}
