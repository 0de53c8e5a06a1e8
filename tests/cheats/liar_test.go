package cheats

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A liar is a real HTTP server that streams answers of chat/completions. Left alone it is
// honest: one word to an event, one token to a word, and a count that says so.
type liar struct {
	first, gap time.Duration // to the first word, and between two
	noise      bool          // the first word comes up to a fifth later

	// speaks is the API of the server; nil is chat/completions.
	speaks *dialect

	// program is how fast the clock of a program runs that stands in for the server; empty for none.
	program string

	// lie changes an answer before it is sent.
	lie func(q question, a *answer)

	// serve answers other paths than chat/completions; nil answers 404.
	serve http.HandlerFunc

	asked atomic.Int64
	begun sync.Once
	since time.Time // when it was first asked
}

// A question is what a request asked.
type question struct {
	n      int64 // its number, from 0
	tokens int   // asked for
	prompt string
	header http.Header
	remote string        // address of the client
	at     time.Duration // since the server was first asked
}

// A part is one write of a stream, and the wait before it.
type part struct {
	wait    time.Duration
	data    string // as it goes out; empty where the API spells out what it says
	text    string // what it says
	thought bool   // and to itself
}

// An answer is a stream in parts: the role, the words, the finish reason, the count and the
// end.
type answer struct {
	status                    int
	head                      http.Header
	role, words, finish, tail []part
	usage                     int // output tokens that the server reports
	input                     int
	uncounted                 bool // without usage
	silent                    bool // without a body
	edits                     []string

	speaks *dialect
	reason string // why it ends, in the words of the API
}

// parts are those of the whole stream, in order.
func (a *answer) parts() []part {
	var usage []part
	if !a.uncounted {
		usage = []part{event(counted(a.input, a.usage))}
	}
	if a.silent {
		return nil
	}
	all := slices.Concat(a.role, a.words, a.finish, usage, a.tail)
	if a.speaks != nil {
		all = a.spoken()
	}
	for i := range all {
		all[i].data = strings.NewReplacer(a.edits...).Replace(all[i].data)
	}
	return all
}

// event is one event with what object says.
func event(o object) part {
	data, err := json.Marshal(o)
	if err != nil {
		panic(err) // a table of ours
	}
	return part{data: "data: " + string(data) + "\n\n"}
}

// chunk is the object of an event of chat/completions, whose delta is given.
func chunk(delta object, finish any) object {
	return object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "honest-8b",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func counted(input, output int) object {
	o := chunk(nil, nil)
	o["choices"] = []object{}
	o["usage"] = object{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}
	return o
}

// says is an event with content, after a wait.
func says(wait time.Duration, text string) part { return delta(wait, object{"content": text}) }

func delta(wait time.Duration, d object) part {
	p := event(chunk(d, nil))
	p.wait = wait
	return p
}

const doneMark = "data: [DONE]\n\n"

// vocabulary is what the answers are made of: common words, as answers mostly are.
var vocabulary = strings.Fields(`about after again also around because been before being between both
	called came children come could country course days different does each even every example
	family find first found from good great group hand have help here high home house important
	into just keep know large last later left life like little long made make many might more most
	much must name need never next night number often only other over part people place point
	right same school should show small something state still such system take than that their
	them then there these they thing think this three through time turn under until used very
	want water well were what when where which while will with without word work world would year`)

// word is word i of answer n.
func word(n int64, i int) string {
	x := uint64(n)*0x9e3779b97f4a7c15 + uint64(i)*0xbf58476d1ce4e5b9
	x = (x ^ x>>29) * 0x94d049bb133111eb
	return " " + vocabulary[(x>>33)%uint64(len(vocabulary))]
}

// honestAnswer is what the server says when it does not lie.
func (l *liar) honestAnswer(q question) *answer {
	a := &answer{status: http.StatusOK, usage: q.tokens, input: len(strings.Fields(q.prompt)), speaks: l.speaks}
	first := l.first
	if l.noise {
		first += time.Duration(q.n*7919%100) * l.first / 500
	}
	a.role = []part{delta(0, object{"role": "assistant", "content": ""})}
	for i := range q.tokens {
		wait := l.gap
		if i == 0 {
			wait = first
		}
		a.words = append(a.words, says(wait, word(q.n, i)))
		if l.speaks != nil {
			a.words[i] = part{wait: wait, text: word(q.n, i)}
		}
	}
	if l.speaks != nil {
		a.role, a.reason = nil, l.speaks.limit
		return a
	}
	a.finish = []part{event(chunk(object{}, "length"))}
	a.tail = []part{{data: doneMark}}
	return a
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := "/chat/completions"
	if l.speaks != nil {
		path = l.speaks.path
	}
	if !strings.HasSuffix(r.URL.Path, path) {
		if l.serve != nil {
			l.serve(w, r)
			return
		}
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	l.begun.Do(func() { l.since = time.Now() })
	q := question{n: l.asked.Add(1) - 1, header: r.Header, remote: r.RemoteAddr, at: time.Since(l.since)}
	if q.tokens, q.prompt = asked(body); q.tokens == 0 {
		http.Error(w, "no limit of tokens", http.StatusBadRequest)
		return
	}
	a := l.honestAnswer(q)
	if l.lie != nil {
		l.lie(q, a)
	}
	for name, values := range a.head {
		w.Header()[name] = values
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	w.WriteHeader(a.status)
	send(w, r, a.parts())
}

// send writes the parts, each when it is due: waits add up from the beginning, so that a busy
// host does not make every gap longer.
func send(w http.ResponseWriter, r *http.Request, parts []part) {
	flush := http.NewResponseController(w)
	due := time.Now()
	for _, p := range parts {
		due = due.Add(p.wait)
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-r.Context().Done():
				return
			}
		}
		if _, err := io.WriteString(w, p.data); err != nil {
			return
		}
		if p.wait > 0 {
			if err := flush.Flush(); err != nil {
				return
			}
		}
	}
}

// listen starts the server and returns its address.
func (l *liar) listen(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return server.URL
}

// honestly is a server that does not lie.
func honestly() *liar { return &liar{first: 20 * time.Millisecond, gap: 2 * time.Millisecond} }
