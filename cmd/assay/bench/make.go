package bench

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/spec"
)

// An Asked is what a set of options asks for.
type Asked struct {
	Run    spec.Run // as it was made
	Source []byte   // the same as a document that assay run takes

	// Environ holds the credentials that were given as flags, as variables in front
	// of the caller's; the document refers to them by name.
	Environ []string

	// Choices say what was chosen where the caller said nothing, Notes what becomes of
	// options that mean something else here.
	Choices, Notes []string

	// Out is the folder that options name for bundles; empty for none.
	Out string
}

// Needs lists the variables that the document refers to and that only flags
// hold: whoever runs it later must set them.
func (a Asked) Needs() []string {
	var names []string
	for _, entry := range a.Environ {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	return names
}

// A maker turns options into a spec, part by part. Faults are gathered, so that
// a command line is put right in one go.
type maker struct {
	v       Values
	run     spec.Run
	backend Backend
	key     string // of the server, to ask it for its tokenizer
	environ []string
	choices []string
	notes   []string
	errs    []error
}

// Make turns options into what they ask for. The server of the target may be
// asked which models it has and whether it counts tokens.
func Make(ctx context.Context, v Values) (Asked, error) {
	v = v.resolved()
	m := &maker{v: v, run: spec.Run{APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun}}
	m.run.Spec.Target, m.run.Spec.Load = &spec.Target{}, &spec.Load{}
	m.fates()
	m.task()
	m.chooseBackend()
	m.target()
	m.credentials()
	m.body()
	m.dataset()
	m.shapes()
	m.load()
	m.objectives()
	m.cost()
	m.system()
	// Last: these may ask the server, which is left alone while the options are wrong.
	for _, step := range []func(context.Context){m.model, m.tokenizer} {
		if len(m.errs) > 0 {
			return Asked{}, errors.Join(m.errs...)
		}
		step(ctx)
	}
	m.name()
	if len(m.errs) > 0 {
		return Asked{}, errors.Join(m.errs...)
	}
	source, err := spec.WriteYAML(m.run)
	return Asked{Run: m.run, Source: source, Environ: m.environ, Choices: m.choices, Notes: m.notes, Out: v.text("experiment-base-dir")}, err
}

// task takes what goes in and what comes out.
func (m *maker) task() {
	task := m.oneOf("task", spec.Vocabularies["tasks"]...)
	if task == "" {
		task = spec.TextToText
	}
	m.run.Spec.Workload.Prompt.Task = task
}

// cost takes prices, with which every result has a cost.
func (m *maker) cost() {
	var c spec.Cost
	given := false
	for _, one := range []struct {
		name string
		into *float64
	}{{"cost-per-gpu-hour", &c.GPUHourlyUSD}, {"price-input", &c.InputPerMillionUSD}, {"price-output", &c.OutputPerMillionUSD}} {
		if text := m.v.text(one.name); text != "" {
			*one.into, given = m.number(one.name, text), true
		}
	}
	if !given {
		return
	}
	if c.GPUHourlyUSD > 0 {
		c.GPUCount = int(m.whole("server-gpu-count"))
	}
	m.run.Spec.Cost = &c
}

// odd are characters that a label of Kubernetes cannot hold.
var odd = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// system keeps what is declared about the server.
func (m *maker) system() {
	m.oneOf("metrics-time-unit", "s", "ms")
	m.run.Spec.Target.System = spec.System{
		Engine: m.v.text("server-engine"), Version: m.v.text("server-version"), GPUType: m.v.text("server-gpu-type"),
		GPUCount: int(m.whole("server-gpu-count")), DeploymentModel: m.oneOf("server-deployment", spec.Vocabularies["deploymentModels"]...),
	}
}

// name names the run.
func (m *maker) name() {
	w := m.run.Spec.Workload
	parts := []string{strings.ToLower(m.v.text("api-backend")), m.v.text("server-engine"), m.v.text("server-version"), w.Prompt.Task, filepath.Base(w.Model)}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	m.run.Metadata.Name = strings.Trim(odd.ReplaceAllString(strings.Join(parts, "_"), "-"), ".-")
	if name := m.v.text("experiment-folder-name"); name != "" {
		m.run.Metadata.Name = name
		if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || strings.TrimSpace(name) != name {
			m.fail("--experiment-folder-name: got %q, want a name without slashes: --experiment-base-dir is the folder that holds it", name)
		}
	}
}
