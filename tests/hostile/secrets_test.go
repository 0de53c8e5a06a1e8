package hostile

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/tests/program"
	"assay/tests/whole"
)

// placements are where a careless person puts a key. Each has a key of its own,
// which stands for its name in the spec, in the environment and in the flags.
var placements = []string{
	"bearer-header", "basic-header", "cookie", "x-header", "header-from-env", "header-from-file", "whole-header-from-env",
	"query", "query-from-env", "url-query", "url-password", "bearer-from-env",
	"body", "body-deep", "body-repeated", "metrics-query", "environment", "annotation",
	"server-env", "server-flag", "server-assignment", "server-log",
	"bench-api-key", "bench-body", "proxy-password", "auth-header-from-file",
}

// keyOf is the key of a placement: with everything that encoders treat in their own
// way, and unlike any other from its first eight characters to its last.
func keyOf(placement string) string {
	for i, name := range placements {
		if name == placement {
			return fmt.Sprintf("Zk%02dq/W7+x%02d==vB9%02dnYc/Lm+%02dpQz%02d", i, i, i, i, i)
		}
	}
	panic("no placement " + placement) // a slip in this file
}

func keys(names ...string) (list []string) {
	for _, name := range names {
		list = append(list, keyOf(name))
	}
	return list
}

// filled replaces every {{placement}} with its key, and {{placement|escaped}} with
// the key as a URL has it.
func filled(text string) string {
	for _, name := range placements {
		text = strings.ReplaceAll(text, "{{"+name+"}}", keyOf(name))
		text = strings.ReplaceAll(text, "{{"+name+"|escaped}}", url.QueryEscape(keyOf(name)))
	}
	return text
}

// perLaunch is how many requests each of three launches sends for all echoes to be
// seen.
func perLaunch(server *echo) int { return 2*len(server.keys)*len(server.ways)/3 + 8 }

// TestSecrets has every key handed back in every way and searches every byte that
// assay leaves behind or shows: files, decoded tables, unpacked workbooks, signed
// payloads, every report, both streams, the screen.
func TestSecrets(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	program.Path(t) // built before the clock of any command runs
	t.Run("spec", secretsOfSpec)
	t.Run("server", secretsOfServer)
	t.Run("bench", secretsOfBench)
	t.Run("proxy", secretsOfProxy)
}

func secretsOfSpec(t *testing.T) {
	t.Parallel()
	placed := placements[:18]
	server, addr := newEcho(t, keys(placed...))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key.txt"), filled("{{header-from-file}}\n"))
	basic := base64.StdEncoding.EncodeToString([]byte("me:" + keyOf("basic-header")))
	write(t, filepath.Join(dir, "run.yaml"), filled(fmt.Sprintf(`# the key is {{bearer-header}}, and again {{body}}
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: secrets, annotations: {note: "{{annotation}}"}}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target:
    url: "http://me:{{url-password|escaped}}@%s/?key={{url-query|escaped}}"
    auth: {kind: bearer, env: HOSTILE_BEARER}
    headers:
      X-Authorization: "Bearer {{bearer-header}}"
      X-Basic: "Basic %s"
      Cookie: "theme=dark; sid={{cookie}}"
      X-Custom: "{{x-header}}"
      X-Annotated: "{{annotation}}"
      X-Env: {env: HOSTILE_HEADER}
      X-Whole: {env: HOSTILE_WHOLE}
      X-File: {file: key.txt}
    query: {sig: "{{query}}", other: {env: HOSTILE_QUERY}}
    extraBody:
      api_key: "{{body}}"
      metadata: [{credentials: {value: "{{body-deep}}"}}]
      token: "{{body-repeated}}"
      user: "{{body-repeated}}"
    metrics: {urls: ["http://%s/metrics?token={{metrics-query}}"], interval: 100ms}
  load: {concurrency: [8], duration: 1m, requests: %d, warmup: {}, keepAnswers: true, calibrate: false}
`, addr, basic, addr, perLaunch(server))))
	env := []string{
		"HOSTILE_BEARER=" + keyOf("bearer-from-env"), "HOSTILE_HEADER=" + keyOf("header-from-env"), "HOSTILE_QUERY=" + keyOf("query-from-env"),
		"HOSTILE_WHOLE=Bearer " + keyOf("whole-header-from-env"), "SOME_SERVICE_TOKEN=" + keyOf("environment"),
	}
	seen := carryOut(t, dir, env, placed, "run", "run.yaml", "--format", "json")
	for _, args := range [][]string{{"plan", "run.yaml"}, {"plan", "--json", "run.yaml"}, {"validate", "run.yaml"}, {"validate", "--json", "run.yaml"}} {
		seen.add(strings.Join(args, " "), []byte(program.Command{Args: args, Dir: dir, Env: env}.Run(t).Text()))
	}
	seen.search(t, placed)
	sufficient(t, server, len(placed)*len(server.ways))
}

// A server that assay starts knows the keys of its environment and of its command,
// and prints them, also split over writes and lines.
func secretsOfServer(t *testing.T) {
	t.Parallel()
	placed := []string{"server-env", "server-flag", "server-assignment", "server-log"}
	server, addr := newEcho(t, keys(placed...))
	dir := t.TempDir()
	script := `for k in "$SERVER_PASSWORD" "$2" "${3#*=}" "$OWN_TOKEN"; do
echo "key $k"; printf 'half %s' "${k%????????????????}"; sleep 0.05; echo "${k#"${k%????????????????}"}"
printf '%s' "$k" | base64; printf '%s' "$k" | od -An -tx1 | tr -d ' \n'; echo
done; exec sleep 60`
	write(t, filepath.Join(dir, "server.sh"), script)
	write(t, filepath.Join(dir, "run.yaml"), filled(fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: secrets}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target:
    url: "http://%s"
    server:
      env: {SERVER_PASSWORD: "{{server-env}}", OWN_TOKEN: {env: HOSTILE_OWN}}
      command: [sh, server.sh, --api-key, "{{server-flag}}", "API_TOKEN={{server-assignment}}"]
      ready: {interval: 50ms}
      cold: {requests: 0, warm: 0}
      stopTimeout: 1s
  load: {concurrency: [8], duration: 1m, requests: %d, warmup: {}, keepAnswers: true, calibrate: false}
`, addr, perLaunch(server))))
	seen := carryOut(t, dir, []string{"HOSTILE_OWN=" + keyOf("server-log")}, placed, "run", "run.yaml", "--format", "md")
	seen.search(t, placed)
	sufficient(t, server, len(placed)*len(server.ways))
}

func secretsOfBench(t *testing.T) {
	t.Parallel()
	placed := []string{"bench-api-key", "bench-body"}
	server, addr := newEcho(t, keys(placed...))
	seen := carryOut(t, t.TempDir(), nil, placed, "bench", "--url", "http://"+addr, "--model", "m", "--traffic-scenario", "D(8,4)",
		"--num-concurrency", "4", "--warmup", "0s", "--max-requests-per-run", fmt.Sprint(2*len(placed)*len(server.ways)),
		"--api-key", keyOf("bench-api-key"), "--additional-request-params", filled(`{"secret": "{{bench-body}}", "user": "{{bench-body}}"}`))
	seen.search(t, placed)
	sufficient(t, server, len(placed)*len(server.ways))
}

// All answers come through a proxy with a password, by HTTP/1.1 as Go reads it.
func secretsOfProxy(t *testing.T) {
	t.Parallel()
	placed := []string{"proxy-password", "auth-header-from-file"}
	server, addr := newEcho(t, keys(placed...))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key.txt"), filled("{{auth-header-from-file}}\n"))
	write(t, filepath.Join(dir, "run.yaml"), filled(fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: secrets}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target:
    url: "http://127.0.0.1:9"
    proxy: "http://me:{{proxy-password|escaped}}@%s"
    auth: {kind: header, header: X-API-Key, file: key.txt}
  load: {concurrency: [4], duration: 1m, requests: %d, warmup: {}, keepAnswers: true, calibrate: false}
`, addr, perLaunch(server))))
	seen := carryOut(t, dir, nil, placed, "run", "run.yaml", "--progress", "plain", "--progress-interval", "100ms")
	seen.search(t, placed)
	sufficient(t, server, len(placed)*len(server.ways))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func sufficient(t *testing.T, server *echo, want int) {
	t.Helper()
	if got := server.pairs(); got < want {
		t.Errorf("%d keys × echoes were handed back, want %d", got, want)
	}
	t.Logf("%d keys × %d ways = %d echoes", len(server.keys), len(server.ways), server.pairs())
}

// evidence is everything that a run left behind or showed, by where it stands.
type evidence map[string][]byte

func (e evidence) add(where string, data []byte) { e[where] = append(e[where], data...) }

// carryOut runs the command on a screen, where there is one to be had, and gathers
// the bundle and all that assay says about it.
func carryOut(t *testing.T, dir string, env, placed []string, args ...string) evidence {
	t.Helper()
	seen := evidence{}
	key := program.Command{Args: []string{"keygen", "--out", "sign"}, Dir: dir}.Run(t)
	if key.Code != 0 {
		t.Fatalf("keygen: exit %d\n%s", key.Code, key.Text())
	}
	private := onlyMatch(t, filepath.Join(dir, "sign*"))
	r := program.Command{Args: append(args, "--out", "runs", "--key", private), Dir: dir, Env: env}.Run(t)
	seen.add("stdout", []byte(r.Stdout))
	seen.add("stderr", []byte(r.Stderr))
	if r.TimedOut || r.Code != 0 {
		t.Fatalf("exit %d, timed out %v\n%s", r.Code, r.TimedOut, r.Stderr)
	}
	bundle := onlyMatch(t, filepath.Join(dir, "runs", "*__run__*"))
	for _, command := range [][]string{
		{"report"}, {"report", "--all"}, {"report", "--format", "json"}, {"report", "--format", "md"}, {"report", "--format", "csv"},
		{"report", "--format", "html"}, {"report", "--format", "junit"}, {"report", "--format", "results"},
		{"lint", "--all"}, {"lint", "--json"}, {"claim"}, {"claim", "--json"}, {"verify"}, {"diagnose"},
	} {
		said := program.Command{Args: append(command, bundle), Dir: dir, Env: env}.Run(t)
		seen.add(strings.Join(command, " "), []byte(said.Text()))
	}
	if book := program.Run(t, dir, "report", "--format", "xlsx", "-o", "own.xlsx", bundle); book.Code == 0 {
		seen.file(t, filepath.Join(dir, "own.xlsx"))
	}
	seen.folder(t, bundle)
	if n := bytes.Count(seen["tables"], []byte("[redacted]")); n < 20 {
		t.Errorf("%d places are redacted in the tables, want many: has the search looked at them?", n)
	}
	return seen
}

func onlyMatch(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing matches %s: %v", pattern, err)
	}
	return found[0]
}

func (e evidence) folder(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			e.file(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// file adds the bytes of a file and what is packed in it.
func (e evidence) file(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e.add(path, data)
	switch filepath.Ext(path) {
	case ".parquet":
		e.add("tables", cells(t, data))
	case ".xlsx":
		e.add(path+" unpacked", unzipped(t, data))
	case ".jsonl":
		for line := range bytes.Lines(data) {
			var envelope struct{ Payload []byte }
			if json.Unmarshal(line, &envelope) == nil {
				e.add(path+" payload", envelope.Payload)
			}
		}
	}
}

// cells are all the values of a table, one to a line.
func cells(t *testing.T, data []byte) []byte {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, group := range file.RowGroups() {
		rows := make([]parquet.Row, group.NumRows())
		in := group.Rows()
		n, err := in.ReadRows(rows)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		for _, row := range rows[:n] {
			for _, v := range row {
				fmt.Fprintln(&out, v)
			}
		}
		in.Close()
	}
	return out.Bytes()
}

func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, part := range archive.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&out, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return out.Bytes()
}

// search fails for every spelling of every key, and for every rest of one.
func (e evidence) search(t *testing.T, placed []string) {
	t.Helper()
	for where, data := range e {
		folded := bytes.ToLower(data)
		for _, name := range placed {
			for _, form := range forms(keyOf(name)) {
				if at := bytes.Index(folded, form); at >= 0 {
					t.Errorf("%s: the key of %s shows: %q", where, name, data[max(0, at-60):min(len(data), at+60)])
					break
				}
			}
		}
	}
}

// onScreen runs the program as script does: with a terminal for its output.
func onScreen(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("script")
	if err != nil {
		t.Skip("script is not installed (apt-get install bsdutils): nothing here can stand for a terminal")
	}
	command := program.Path(t)
	for _, a := range args {
		command += " '" + a + "'"
	}
	cmd := exec.CommandContext(t.Context(), path, "-qec", command, "/dev/null")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8", "CI="), env...)
	out, _ := cmd.CombinedOutput() // a run that failed has an exit code; what counts is what it showed
	return string(out)
}
