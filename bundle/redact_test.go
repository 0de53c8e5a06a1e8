package bundle

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/record"
)

func TestRedactShapes(t *testing.T) {
	var r *Redactor // knows shapes alone
	f := func(in, want string) {
		t.Helper()
		got := r.String(in)
		if got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
		if again := r.String(got); again != got {
			t.Errorf("String(%q) = %q, want it unchanged", got, again)
		}
	}
	f("Authorization: Bearer abcdef", "Authorization: Bearer [redacted]")
	f(`{"Authorization":"token abcdef1"}`, `{"Authorization":"token [redacted]"}`)
	f("got bearer aGVsbG8gd29ybGQ= here", "got bearer [redacted] here")
	f("Basic "+base64.StdEncoding.EncodeToString([]byte("user:pass")), "Basic [redacted]")
	f("basic understanding", "basic understanding")
	f("key sk-proj-abcdefghij1234", "key [redacted]")
	f("a risk-averse-and-careful plan", "a risk-averse-and-careful plan")
	f("hf_abcdefghijklmnop", "[redacted]")
	f("AKIAIOSFODNN7EXAMPLE", "[redacted]")
	f("ghp_abcdefghijklmnopqrstuvwx1234", "[redacted]")
	f("xoxb-1234567890-abc", "[redacted]")
	f("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.", "[redacted].")
	f("api_key=abcdef&x=1", "api_key=[redacted]&x=1")
	f("api-key: 'abcdef'", "api-key: '[redacted]'")
	f("apiKey: ${OPENAI_API_KEY}", "apiKey: ${OPENAI_API_KEY}")
	f("apiKeyEnv: OPENAI_API_KEY", "apiKeyEnv: OPENAI_API_KEY")
	f("api_key: OPENAI_API_KEY", "api_key: OPENAI_API_KEY")
	f("password=hunter2 next", "password=[redacted] next")
	f("postgres://me:pw@host/db", "postgres://[redacted]@host/db")
	f("https://host/a?mail=me@host", "https://host/a?mail=me@host")
	f("Set-Cookie: id=1; path=/", "Set-Cookie: [redacted]")
	f("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb")
	f("maxTokens: 131072, model: meta-llama/Llama-3", "maxTokens: 131072, model: meta-llama/Llama-3")
}

// Graders judge answers: code and prose about secrets must come through, secrets
// must not.
func TestRedactProse(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := NewRedactor([]string{"known-secret"}, nil).Prose(in); got != want {
			t.Errorf("Prose(%q) = %q, want %q", in, got, want)
		}
	}
	f("def login(user, password=default_password): ...", "def login(user, password=default_password): ...")
	f("a bearer instrument", "a bearer instrument")
	f("password=hunter2hunter", "password=[redacted]")
	f("sk-abcdefghij1234567", "[redacted]")
	f("it is known-secret", "it is [redacted]")
}

// A known secret is found in every spelling, at every alignment of base64.
func TestRedactForms(t *testing.T) {
	const secret = `"p@ss/wörd+"quote"&more"`
	r := NewRedactor(nil, []string{"MY_PASSWORD=" + secret})
	quoted, err := json.Marshal(secret)
	check(t, err)
	texts := []string{
		secret, string(quoted), url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("u:" + secret)), base64.StdEncoding.EncodeToString([]byte("us:" + secret + "x")),
		base64.StdEncoding.EncodeToString([]byte("usr:" + secret + "xy")),
	}
	for _, text := range texts {
		got := r.String("before " + text + " after")
		if !strings.Contains(got, Redacted) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%q became %q, want it redacted", text, got)
		}
	}
}

// JSON stays JSON, and what holds no secret stays byte for byte.
func TestRedactDocument(t *testing.T) {
	r := NewRedactor([]string{"canary-1"}, nil)
	f := func(in, want string) {
		t.Helper()
		if got := string(r.Document([]byte(in))); got != want {
			t.Errorf("Document(%q) = %q, want %q", in, got, want)
		}
	}
	f(`{"b": 1, "a": "x" }`, `{"b": 1, "a": "x" }`)
	f(`{"b":[1e3,"\u0063anary-1"]}`, `{"b":[1e3,"[redacted]"]}`)
	f(`{"password":"hunter","apiKey":"$KEY","n":12345678901234567890}`, `{"apiKey":"$KEY","n":12345678901234567890,"password":"[redacted]"}`)
	f(`{"canary-1":1}`, `{"[redacted]":1}`)
	f("a: canary-1\n", "a: [redacted]\n")
	f("caf\xe9 canary-1 password=hunter2", "caf\xe9 [redacted] password=[redacted]") // Latin-1 is text too
	f("\x89PNG\x00canary-1 password=hunter2", "\x89PNG\x00[redacted] password=hunter2")
}

// A secret split over writes, lines or the bound of the buffer does not get into
// a log, whatever the cut.
func TestRedactLog(t *testing.T) {
	const secret = "canary-secret-0123456789"
	long := strings.Repeat("word ", maxHeld/5+100)
	text := "start " + secret + " end\nkey:\n-----BEGIN PRIVATE KEY-----\nMIIEcanary\nAAAA\n-----END PRIVATE KEY-----\nlast " + secret
	for cut := range len(text) {
		got := writeLog(t, secret, text[:cut], text[cut:])
		if want := "start [redacted] end\nkey:\n[redacted]\nlast [redacted]"; got != want {
			t.Fatalf("cut at %d: got %q, want %q", cut, got, want)
		}
	}
	for shift := 0; shift < 40; shift += 7 { // the secret at the very end of a line that is too long to hold
		got := writeLog(t, secret, long[shift:]+secret[:20], secret[20:]+"\n")
		if strings.Contains(got, "canary") || len(got) < maxHeld {
			t.Fatalf("shift %d: the log has %d bytes and ends %q", shift, len(got), got[len(got)-60:])
		}
	}
}

func writeLog(t *testing.T, secret string, parts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	check(t, err)
	w := &logWriter{redactor: NewRedactor([]string{secret}, nil), file: f}
	for _, p := range parts {
		if n, err := w.Write([]byte(p)); err != nil || n != len(p) {
			t.Fatalf("Write = %d, %v; want %d, nil", n, err, len(p))
		}
	}
	check(t, w.Close())
	return string(readAll(t, path))
}

const canary = "canary-3f9a1c77e2"

// poison puts the canary into every text column of T, whatever columns there
// will be.
func poison[T any]() T {
	var row T
	for _, field := range reflect.ValueOf(&row).Elem().Fields() {
		if field.Kind() == reflect.String {
			field.SetString("before " + canary + " after")
		}
	}
	return row
}

// Whatever is told a Writer, by whatever way, the secret is in no file, in no
// column and in no signed statement.
func TestNoSecretEnters(t *testing.T) {
	h := header()
	h.Redactor = NewRedactor(nil, []string{"SOME_API_KEY=" + canary})
	h.Tool.Version, h.WorkloadDigest = canary, canary
	h.Spec = []byte("a: " + canary + "\n")
	h.Plan = []byte(`{"a":"` + canary + `"}`)
	w := create(t, h)
	env := record.Environment{}
	env.Set("env.X", canary)
	env.Miss("env.Y", "no "+canary)
	check(t, w.SetEnvironment(env))
	check(t, w.SetInputs(Inputs{Model: &Input{Name: canary}, Images: map[string]string{canary: canary}}))
	check(t, w.SetHealth(map[string]any{canary: []string{canary}}))
	check(t, w.SetClocks([]Clock{{ID: canary}}))
	check(t, w.SetTopology(canary))
	l, err := w.StartLaunch(LaunchStart{Side: canary, Clock: canary, Nodes: []string{canary}})
	check(t, err)
	check(t, l.Requests.Append(poison[record.Request]()))
	check(t, l.Chunks.Append(poison[record.Chunk]()))
	check(t, l.Steps.Append(poison[record.Step]()))
	check(t, l.Collectives.Append(poison[record.Collective]()))
	check(t, l.Sessions.Append(poison[record.SessionStep]()))
	check(t, l.Samples.Append(poison[record.Sample]()))
	check(t, l.Events.Append(poison[record.Event]()))
	log, err := l.Log("server.log")
	check(t, err)
	fmt.Fprint(log, "x ", canary[:7])
	fmt.Fprintln(log, canary[7:])
	check(t, l.Attach("a.json", []byte(`{"x":"`+canary+`"}`)))
	if err := l.Attach(canary, nil); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("a name that is a secret: got %v, want an error that does not tell it", err)
	}
	check(t, l.Close(LaunchEnd{Outcome: LaunchFailed, Reason: "because of " + canary}))
	check(t, w.WriteDerived("v1", "estimates.json", []byte(`{"x":"`+base64.StdEncoding.EncodeToString([]byte("u:"+canary))+`"}`)))
	check(t, w.WriteReport("r.html", []byte("<p>"+url.QueryEscape(canary))))
	_, err = w.Seal(context.Background(), Completed, SealOptions{Signer: newKey(t), Results: []byte(`{"x":"` + canary + `"}`)})
	check(t, err)

	clean := 0
	for _, name := range allFiles(t, w.Dir()) {
		path := filepath.Join(w.Dir(), filepath.FromSlash(name))
		for _, text := range contents(t, path) {
			if at := strings.Index(text, "canary"); at >= 0 {
				t.Errorf("%s holds the secret: %q", name, text[max(0, at-40):at+17])
			}
			clean += strings.Count(text, Redacted)
		}
	}
	if clean < 40 {
		t.Errorf("found %d redacted places, want at least 40: the test must have looked at them", clean)
	}
	if r := verify(t, w.Dir()); !r.Verified {
		t.Errorf("Verify: %+v", r.Failures())
	}
}

// contents returns all the texts in a file: its bytes, the values of a table,
// the decoded payload of an envelope.
func contents(t *testing.T, path string) []string {
	t.Helper()
	data := readAll(t, path)
	texts := []string{string(data)}
	if filepath.Base(path) == AttestationFile {
		for line := range bytes.Lines(data) {
			var e struct{ Payload []byte }
			check(t, json.Unmarshal(line, &e))
			texts = append(texts, string(e.Payload))
		}
	}
	if filepath.Ext(path) == ".parquet" {
		file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		check(t, err)
		for _, group := range file.RowGroups() {
			rows := make([]parquet.Row, group.NumRows())
			in := group.Rows()
			n, _ := in.ReadRows(rows) // io.EOF with the last rows
			for _, row := range rows[:n] {
				for _, v := range row {
					texts = append(texts, v.String())
				}
			}
			check(t, in.Close())
		}
	}
	return texts
}

// Rows without text must cost next to nothing: this is on the way of every chunk.
func BenchmarkCleanChunks(b *testing.B) {
	rows := fill[record.Chunk](4096, 1)
	for i := range rows {
		rows[i].Kind = record.Content
	}
	c := newCleaner(NewRedactor(nil, os.Environ()))
	for b.Loop() {
		c.chunks(rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
}

// What a rule would find is never left out for want of a hint. Texts are put together at random
// from parts of secrets and of what stands around them.
func TestHintsMissNothing(t *testing.T) {
	parts := []string{
		"api_key", "API-KEY", "apikey", "access_token", "SESSIONTOKEN", "password", "PASSWD", "passphrase", "pwd", "client_secret",
		"ClientSecret", "Authorization", "AUTHORIZATION", "cookie", "Set-Cookie", "bearer", "Basic", "https://", "s3://", "user", "@host", "dXNlcjpwdw==",
		":", "=", "\"", "'", " ", "\n", "\t", "/", "?", "<", "Zx81zzzzzzzz", "é", ",", "sk-", "hf_",
	}
	random, found := rand.New(rand.NewPCG(1, 2)), 0
	for range 4_000 {
		var text strings.Builder
		for range 2 + random.IntN(6) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		for _, r := range rules {
			if !r.re.MatchString(text.String()) {
				continue
			}
			if found++; !r.mayMatch(text.String()) {
				t.Fatalf("%q: %v matches, and no hint says so", text.String(), r.re)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d texts matched: too few to say anything", found)
	}
}

// A server that answers with hints alone keeps nobody busy: the work must grow with the text and
// not with its square, which here would be an hour for each.
func TestHintsInLinearTime(t *testing.T) {
	const size = 2 << 20
	for _, text := range []string{"ey", "EYey", "oken", "assw", "assword ", "secret\t", "pwd\"", "ookie", "uthorization", "://", "://a", "s://a ", "api_key "} {
		long := strings.Repeat(text, size/len(text))
		if got := (*Redactor)(nil).String(long); got != long {
			t.Errorf("%q, repeated, was changed", text)
		}
	}
}

// Redaction is off the measured path, but on the way of every answer, log line
// and report: a megabyte must take milliseconds.
func BenchmarkRedact(b *testing.B) {
	r := NewRedactor([]string{"sk-proj-9aZkQ2mW8xLtR4vB7nYc3fGh5JkLmNpQ", "hunter2"}, []string{"HF_TOKEN=hf_qWeRtYuIoPaSdFgHjKlZxCvBnM12345678"})
	for name, text := range map[string]string{
		"id":      "chatcmpl-5f0c2a6e1b8d4c7e9a3f",
		"words":   strings.Repeat("The quick brown fox jumps over the lazy dog, and so do 17 others. ", 16<<10),
		"escapes": strings.Repeat(`{"a":"x\/y\u002bz","b":"100%25 of &lt;p&gt;"}`+"\n", 24<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.String(text)
			}
		})
	}
}
