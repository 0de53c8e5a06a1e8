package alert

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/spec"
)

// hostile is a name that a stranger chose.
const hostile = "x\r\nBcc: everybody@example.com\r\n\r\n<script>alert(1)</script> <!channel> \x1b[31m*bold* é"

func trial() Delivery {
	a := Problem{Kind: Failed, Title: hostile, Text: "first line\nthe run " + hostile + " failed"}.open("nightly\n\"x\"", "20261117__run__"+"x", "sha256:ab", night)
	return Delivery{ID: deliveryID(a, 1), Alert: a, Since: night}
}

// A receiver is a real HTTP server that keeps what it was sent.
type receiver struct {
	*httptest.Server
	status int
	header http.Header
	body   []byte
	calls  int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.calls++
		r.header = request.Header.Clone()
		r.body, _ = io.ReadAll(request.Body)
		w.Header().Set("Location", r.URL+"/elsewhere")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestWebhook(t *testing.T) {
	r := newReceiver(t)
	lookup := func(name string) (string, bool) { return map[string]string{"KEY": "sesame"}[name], true }
	routes, err := Routes([]spec.AlertRoute{{Name: "ops", Webhook: &spec.AlertWebhook{URL: spec.LiteralSecret(r.URL + "/private-path"), Secret: spec.Secret{Env: "KEY"}}}}, lookup, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := trial()
	if err := routes[0].send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	var got Message
	if err := json.Unmarshal(r.body, &got); err != nil || got.ID != "nightly\n\"x\"/failed" || got.State != Open || got.Version != version || strings.ContainsAny(got.Title, "\r\n\x1b") {
		t.Errorf("%v: got %+v", err, got)
	}
	var seconds int64
	signature := r.header.Get(SignatureHeader)
	if _, err := fmt.Sscanf(signature, "t=%d,", &seconds); err != nil || r.header.Get(DeliveryHeader) != d.ID {
		t.Fatalf("%v: header %v", err, r.header)
	}
	if want := Sign("sesame", unix(seconds), r.body); signature != want {
		t.Errorf("signature %s, want %s", signature, want)
	}
	if Sign("sesame", unix(seconds), append(r.body, ' ')) == signature || Sign("other", unix(seconds), r.body) == signature || Sign("sesame", unix(seconds+1), r.body) == signature {
		t.Error("the signature does not depend on body, key and time")
	}
	for status, again := range map[int]bool{500: true, 503: true, 429: true, 404: false, 401: false, 302: false} {
		r.status, r.calls = status, 0
		err := routes[0].send(t.Context(), d)
		_, refused := err.(refusal)
		if err == nil || refused == again || r.calls != 1 || strings.Contains(err.Error(), "private-path") {
			t.Errorf("status %d: %v after %d calls, want tried again %v", status, err, r.calls, again)
		}
		if busy, ok := err.(busyError); again && (!ok || busy.after.Seconds() != 7) {
			t.Errorf("status %d: %#v, want Retry-After of 7 s", status, err)
		}
	}
	r.Close()
	if err := routes[0].send(t.Context(), d); err == nil || strings.Contains(err.Error(), "private-path") {
		t.Errorf("nobody listens: %v, want an error without the address", err)
	}
}

func TestSlack(t *testing.T) {
	r := newReceiver(t)
	if err := slack(http.DefaultClient, r.URL)(t.Context(), trial()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Text   string
		Blocks []struct {
			Type string
			Text struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(r.body, &got); err != nil || len(got.Blocks) != 2 {
		t.Fatalf("%v: %s", err, r.body)
	}
	if strings.Contains(got.Text, "<") || !strings.Contains(got.Text, "&lt;!channel&gt;") {
		t.Errorf("text %q would ring for everybody", got.Text)
	}
	for _, b := range got.Blocks {
		if b.Text.Type != "plain_text" || len(b.Text.Text) > 3000 {
			t.Errorf("block %+v is no plain text", b)
		}
	}
}

// A real program gets a message that a real parser reads back, with the headers that it
// should have and no other.
func TestEmail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "message")
	to := spec.AlertEmail{From: "assay <assay@example.com>", To: []string{"perf@example.com", "Zoë <zoe@example.com>"}, Command: []string{"sh", "-c", `cat > "$0"`, file}}
	if err := email(to)(t.Context(), trial()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		t.Fatal(err)
	}
	receivers, err := m.Header.AddressList("To")
	if err != nil || len(receivers) != 2 || len(m.Header) != 9 || m.Header.Get("Bcc") != "" {
		t.Errorf("%v: headers %v", err, m.Header)
	}
	if date, err := m.Header.Date(); err != nil || !date.Equal(night) {
		t.Errorf("%v: date %v", err, date)
	}
	to.Command = []string{"sh", "-c", "echo no route to host >&2; exit 75"}
	if err := email(to)(t.Context(), trial()); err == nil || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("a program that failed: %v", err)
	}
}

func unix(seconds int64) time.Time { return time.Unix(seconds, 0) }
