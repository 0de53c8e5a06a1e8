package assay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A home says where a module of others may be imported, and why it is here at all.
// Tests may import any module that has a home.
type home struct {
	module string
	why    string

	// folders may import it. None means that only tests do, and that the binary does
	// not hold it.
	folders []string
}

// homes lists the modules that the tree imports itself. docs/dependencies.md is made
// from it.
var homes = []home{
	{"charm.land/bubbletea/v2", "the terminal of the live view: raw mode, resizing, redrawing only what changed, giving the terminal back whatever happens; the usual choice. The view itself is plain text of ours", []string{"live"}},
	{"github.com/NVIDIA/go-nvml", "NVIDIA's own binding; loads the library at run time, ships a mock DGX for tests; needs cgo, so builds without it fall back to nvidia-smi; held at 0.13.0, since with 0.13.1 the first build prints a hundred warnings of the C compiler", []string{"telemetry"}},
	{"github.com/andybalholm/brotli", "reads bodies that a proxy compressed though nobody asked; pure Go, and part of the binary already through parquet-go", []string{"target"}},
	{"github.com/charmbracelet/x/ansi", "widths and cuts of text with colours; part of bubbletea", []string{"live"}},
	{"github.com/charmbracelet/x/term", "is this a terminal, and how large; part of bubbletea", []string{"live"}},
	{"github.com/coreos/go-oidc/v3", "OpenID Connect: discovery, and the claims that a token must have; by the authors of Dex, the usual choice. The keys are fetched and bounded by ourselves", []string{"server/signin"}},
	{"github.com/creack/pty", "the pseudo-terminal that a live view is drawn into when its cost is measured; small, no dependencies of its own", []string{"cmd/assay"}},
	{"github.com/dlclark/regexp2", "regular expressions with look-ahead, which tokenizer files, filters of lm-eval and the options of exact match use and Go's have not; no dependencies of its own; only for patterns that are not written out by hand", []string{"accuracy", "accuracy/lexical", "workload/token", "tests/tokenizer"}},
	{"github.com/go-jose/go-jose/v4", "signatures of tokens and the keys that made them; part of go-oidc", []string{"server/signin"}},
	{"github.com/go-logr/logr", "controller-runtime's log, which goes to slog", []string{"operator"}},
	{"github.com/google/jsonschema-go", "the schemas of what tools of `assay mcp` take and answer, made from Go types; part of MCP's SDK", []string{"assistant"}},
	{"github.com/gowebpki/jcs", "canonical JSON (RFC 8785): number formatting is easy to get wrong", []string{"bundle", "spec", "tests/forger"}},
	{"github.com/in-toto/attestation", "in-toto statements and SLSA provenance", []string{"bundle"}},
	{"github.com/jackc/pgx/v5", "Postgres, for a copy of the catalogue: its protocol, TLS and every way to sign in, pure Go; the usual choice. Its package pgconn alone, 1.4 MB of the stripped binary; the rest of it would be 3 MB more", []string{"warehouse/engine"}},
	{"github.com/modelcontextprotocol/go-sdk", "the Model Context Protocol, by its own organisation: every version of it, standard input and HTTP, questions to users; brings reading of JSON and URI templates that nothing else uses, 2.7 of 63 MB of the stripped binary, with the assistant itself", []string{"assistant"}},
	{"github.com/nikolalohinski/gonja/v2", "Jinja templates with Python's methods of texts, which tasks of lm-eval are written in; pure Go; brings a logger and a reader of JSON that nothing else uses. Templates see their row alone: no files, no other templates", []string{"workload/exam"}},
	{"github.com/parquet-go/parquet-go", "Parquet in pure Go, fast enough by a factor of several (see `make bench-bundle`); Arrow's writer drags in gRPC and three times the binary", []string{"bundle", "warehouse", "workload/dataset", "judge/benchmark"}},
	{"github.com/prometheus/client_golang", "the operator's counters, on the page that controller-runtime serves with it", []string{"operator"}},
	{"github.com/klauspost/compress", "snappy, which remote write demands; part of the binary already through Parquet", []string{"hot"}},
	{"github.com/prometheus/client_model", "what a metrics page says, as values", []string{"telemetry", "sim", "hot"}},
	{"github.com/prometheus/common", "the text format of metrics pages, read and written", []string{"telemetry", "sim", "hot"}},
	{"github.com/richardlehane/mscfb", "the container of old Excel files, in which LibreOffice writes numbers to the last bit; part of excelize", nil},
	{"github.com/rivo/uniseg", "what a reader sees as one character (UAX 29), by which `Precompiled` normalizers work; no dependencies of its own", []string{"workload/token"}},
	{"github.com/robfig/cron/v3", "cron expressions in time zones, as Kubernetes' own CronJob reads them; no dependencies of its own; its runner is not used", []string{"schedule"}},
	{"github.com/secure-systems-lab/go-securesystemslib", "DSSE envelopes, as in-toto and sigstore use them", []string{"bundle"}},
	{"github.com/spf13/cobra", "commands, flags, help, completion, manual pages; the usual choice, small", []string{"cmd/assay"}},
	{"github.com/spf13/pflag", "the flags of cobra, where they are walked one by one", []string{"cmd/assay"}},
	{"github.com/xuri/excelize/v2", "workbooks with styles, filters and native charts that Excel and LibreOffice open; the only kept library of its kind in Go, pure, 7 MB of the binary", []string{"report/workbook"}},
	{"go.opentelemetry.io/proto/otlp", "the messages of OTLP, by OpenTelemetry itself; without its SDK, which is 14 MB of a binary and would sit between a request and its clock", []string{"hot"}},
	{"go.yaml.in/yaml/v3", "YAML with the line and column of every node, from the YAML organisation", []string{"spec", "lint", "foreign", "report/plot", "server/signin", "workload/exam", "cmd/assay"}},
	{"golang.org/x/image", "the names of CSS colours, which layout files use; part of the binary already through plot", []string{"report/plot"}},
	{"golang.org/x/net", "frames and header compression of HTTP/2 where assay reads and writes by itself: the simulator sends from its own threads, the client reads with the kernel's stamps; net/http can do neither. In tests, questions for the names of pods", []string{"sim", "target", "operator/kubernetes"}},
	{"golang.org/x/oauth2", "Google's tokens: of a service account, of a user, of a machine's metadata server; brings compute/metadata and nothing else. The code flow by which people sign in to a server", []string{"server/signin", "target"}},
	{"golang.org/x/sys", "monotonic clock, sleep until a time, epoll, file locks, socket options, mounts and filters of the sandbox: what the standard library has no call for", []string{
		"accuracy/sandbox", "bundle", "child", "collective", "launch", "live", "load", "probe", "record", "sim", "target", "target/fidelity", "telemetry", "worker",
	}},
	{"golang.org/x/time", "token buckets, by which the server bounds how often a client may ask; by the Go team", []string{"server"}},
	{"golang.org/x/text", "Unicode normal forms, which tokenizer files ask for; full case folding, as Python has it", []string{"accuracy/lexical", "workload/token"}},
	{"gonum.org/v1/gonum", "distributions, moments and linear algebra; its quantiles are not used", []string{
		"stats", "metric", "lint", "foreign", "lint/benchmark", "analysis/breakdown", "analysis/compare", "analysis/gate",
		"analysis/picture", "analysis/scaling", "analysis/shift", "analysis/steady", "stats/items", "warehouse", "warehouse/benchmark",
	}},
	{"gonum.org/v1/plot", "canvases that write SVG, PNG and PDF from the same strokes, with the widths of a free font; no browser and no cgo", []string{"report/plot"}},
	{"google.golang.org/grpc", "the server that our gRPC client is tested against", nil},
	{"google.golang.org/protobuf", "the JSON form of in-toto statements; KServe's messages, generated; the wire format of sentencepiece models, field by field", []string{"bundle", "hot", "target", "target/kserve", "workload/token"}},
	{"k8s.io/api", "pods, ConfigMaps and their states, as Kubernetes writes them; objects of JobSet and Kueue are read without their modules", []string{"operator", "operator/kubernetes"}},
	{"k8s.io/apimachinery", "what every object of Kubernetes has; objects whose type is not known", []string{"operator", "operator/kubernetes"}},
	{"k8s.io/client-go", "how a cluster is found and spoken to", []string{"operator", "operator/kubernetes"}},
	{"modernc.org/sqlite", "the catalogue of the warehouse: SQL, transactions that survive a kill, many readers beside one writer, in one file; SQLite itself, translated to Go, so that a build needs no C compiler; 4.5 of 59 MB of the stripped binary, with the warehouse itself", []string{"warehouse", "warehouse/benchmark", "warehouse/benchmark/volume"}},
	{"sigs.k8s.io/controller-runtime", "caches, queues, leader election, health and metrics of an operator; the usual choice. With client-go it is most of the 34 MB of assay-operator, which is why that is a program and a module of its own", []string{"operator", "operator/kubernetes"}},
	{"sigs.k8s.io/yaml", "manifests for kubectl, in the YAML that Kubernetes reads; part of client-go", []string{"operator"}},
}

func TestHomes(t *testing.T) {
	report(t, homeFaults(thisTree(t), homes))
}

// homeFaults are imports of modules away from their homes, and homes that nobody
// lives in.
func homeFaults(tree []source, homes []home) []string {
	var faults []string
	used := importsByModule(tree, homes)
	for _, where := range used[""] {
		faults = append(faults, fmt.Sprintf("%s: the module has no home; give it one in homes_test.go, with the reason", where))
	}
	for _, h := range homes {
		if len(used[h.module]) == 0 {
			faults = append(faults, fmt.Sprintf("%s has a home and is imported nowhere", h.module))
		}
		inside := outsideTests(used[h.module])
		for _, dir := range inside {
			if !slices.Contains(h.folders, dir) {
				faults = append(faults, fmt.Sprintf("%s imports %s, whose home is %s", dir, h.module, strings.Join(h.folders, ", ")))
			}
		}
		for _, dir := range h.folders {
			if !slices.Contains(inside, dir) {
				faults = append(faults, fmt.Sprintf("%s is a home of %s and does not import it", dir, h.module))
			}
		}
	}
	return faults
}

// testMark follows the folders of which only the tests import a module.
const testMark = " (tests)"

// importsByModule lists the folders that import each module, each once, sorted;
// under "" the imports of modules without a home.
func importsByModule(tree []source, homes []home) map[string][]string {
	own := ours.module
	used := map[string][]string{}
	for _, s := range tree {
		if ours.apart(s) {
			continue
		}
		for _, imported := range s.imports() {
			if !strings.Contains(roomOf(imported), ".") || strings.HasPrefix(imported, own+"/") {
				continue // of the standard library, or ours
			}
			module, where := moduleOf(imported, homes), s.dir
			if module == "" {
				where = s.path + " imports " + imported
			} else if s.test {
				where += testMark
			}
			used[module] = append(used[module], where)
		}
	}
	for module, list := range used {
		slices.Sort(list)
		used[module] = slices.Compact(list)
	}
	return used
}

func moduleOf(imported string, homes []home) string {
	for _, h := range homes {
		if imported == h.module || strings.HasPrefix(imported, h.module+"/") {
			return h.module
		}
	}
	return ""
}

func outsideTests(dirs []string) []string {
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return strings.HasSuffix(dir, testMark) })
}
