package sim

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A page is an answer that needs no model.
type page func(s *Server, body []byte) (status int, contentType string, reply []byte)

var pages = map[string]page{
	"GET /health":      (*Server).health,
	"GET /metrics":     (*Server).metricsPage,
	"GET /v1/models":   (*Server).models,
	"GET /version":     (*Server).version,
	"POST /tokenize":   (*Server).tokenizePage,
	"POST /detokenize": (*Server).detokenizePage,
}

// answer deals with one request and reports whether the connection may carry
// another.
func (s *Server) answer(c *conn, head *http.Request) (keep bool) {
	switch head.Method + " " + head.URL.Path {
	case "POST /v1/chat/completions":
		return s.complete(c, head, true, nil)
	case "POST /v1/completions":
		return s.complete(c, head, false, nil)
	}
	if t := dialects[head.Method+" "+head.URL.Path]; t != nil {
		return s.complete(c, head, true, t)
	}
	body, ok := c.readBody(head)
	if !ok {
		return false
	}
	if do := jobs[head.Method+" "+head.URL.Path]; do != nil {
		s.carryOut(c, head, do, body)
		return true
	}
	s.showPage(c, head, body)
	return true
}

// showPage answers from the table of pages. HEAD is GET without the body.
func (s *Server) showPage(c *conn, head *http.Request, body []byte) {
	began := s.clock.now()
	method := head.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	route := method + " " + head.URL.Path
	show, found := pages[route]
	if !found {
		show = func(*Server, []byte) (int, string, []byte) {
			return refusalPage(&refusal{404, "NotFoundError", "", fmt.Sprintf("%s is not served here", route)})
		}
	}
	status, contentType, reply := show(s, body)
	answer := httpHead(status, contentType, len(reply), closeHeader(head.Close)...)
	if head.Method != http.MethodHead {
		answer = append(answer, reply...)
	}
	c.send(answer)
	s.log.page(head, status, s.clock.now()-began)
}

// complete answers a chat or text completion, or a request in another dialect.
func (s *Server) complete(c *conn, head *http.Request, chat bool, t dialect) (keep bool) {
	number := s.next.Add(1)
	plan := &answerPlan{style: &style{}}
	bad := plan.add(s, s.drawFaults(number))
	if bad == nil {
		bad = plan.add(s, splitNames(head.Header.Get("X-Assay-Fault")))
	}
	st := s.newStream(c, number, head.Header.Get("X-Request-Id"), plan.style)
	st.last, st.dialect = head.Close, t
	if plan.style.early {
		st.beginEarly(chat)
	}
	body, ok := c.readBody(head)
	if !ok {
		return false
	}
	st.arrival = s.clock.now()
	if bad == nil {
		bad = s.prepare(st, plan, body, chat)
	}
	if bad == nil && plan.instead != nil {
		s.meter.refused.Add(1)
		s.log.stream(st, head, 0)
		return plan.instead(c, st)
	}
	if bad == nil {
		bad = s.submit(st)
	}
	if bad != nil {
		s.meter.refused.Add(1)
		s.log.stream(st, head, bad.status)
		if st.wire.headed {
			return false // an answer has begun; there is no room for another
		}
		c.refuse(bad, head.Close)
		return true
	}
	c.watch(st)
	s.retire(st)
	s.log.stream(st, head, 200)
	return c.finish(st)
}

// prepare reads the body and fills the stream in.
func (s *Server) prepare(st *stream, plan *answerPlan, body []byte, chat bool) *refusal {
	if !s.ready() {
		return &refusal{503, "ServiceUnavailableError", "", "the simulated engine is still starting"}
	}
	var req *request
	var bad *refusal
	if st.dialect != nil {
		req, bad = st.dialect.parse(body)
	} else {
		req, bad = parseRequest(body, chat)
	}
	if bad != nil {
		return bad
	}
	st.req = req
	if bad := plan.add(s, append(req.faults, s.scriptedFaults(req.prompts)...)); bad != nil {
		return bad
	}
	if req.model != "" && req.model != s.cfg.Model {
		return &refusal{404, "NotFoundError", "model", fmt.Sprintf("model: got %q, want %q", req.model, s.cfg.Model)}
	}
	if plan.style.twin && st.dialect == nil {
		req.n = max(2, req.n)
	}
	if st.wire.headed && !st.streams() {
		return badRequest("stream", "stream: want true with the fault early-response, whose answer has begun")
	}
	return st.fill()
}

// submit starts a stream.
func (s *Server) submit(st *stream) *refusal {
	// Counted before the first token can be.
	s.meter.accept(st)
	if s.engine == nil {
		st.begin()
		st.hand()
		st.pacer.add((*fixedStream)(st).schedule(0), (*fixedStream)(st))
		return nil
	}
	if !s.engine.reserve(len(st.choices)) {
		s.meter.unaccept(st)
		return &refusal{503, "ServiceUnavailableError", "", fmt.Sprintf("the queue is full: %d sequences are waiting", s.cfg.Engine.MaxQueue)}
	}
	st.begin()
	st.hand()
	s.engine.submit(st)
	return nil
}

func (s *Server) cancel(st *stream) {
	st.gone.Store(true)
	if s.engine != nil {
		s.engine.cancel()
	}
}

// retire counts a stream that has ended.
func (s *Server) retire(st *stream) {
	s.meter.retire(st)
	s.truth.add(st)
}

// finish does to the connection what the style wants after the answer.
func (c *conn) finish(st *stream) (keep bool) {
	switch st.style.ending {
	case endReset, endAbort:
		if a, ok := c.net.(aborter); ok {
			a.abort()
		} else if tcp, ok := c.net.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // close sends RST instead of FIN
		}
		return false
	case endGoAway:
		c.goAway(true)
		return false
	case endCut, endIdleClose:
		return false
	}
	return !st.cut && (st.chunked() || !st.streams())
}

func (s *Server) newStream(c *conn, number uint64, clientID string, st *style) *stream {
	p := s.pacers[0]
	if s.engine == nil {
		p = s.pacers[number%uint64(len(s.pacers))]
	}
	return &stream{
		server: s, conn: c, pacer: p, style: st, clientID: clientID,
		id: "req-" + strconv.FormatUint(number, 10), done: make(chan struct{}),
	}
}

// fill decides what the stream will say.
func (st *stream) fill() *refusal {
	s := st.server
	object := chunkObject(st.req.chat)
	if st.req.chat && !st.streams() {
		object = "chat.completion"
	}
	st.prefix = eventPrefix(st.id, object, s.cfg.Model, time.Now().Unix())
	for _, prompt := range st.req.prompts {
		st.promptTokens += len(prompt)
		for i := range st.req.n {
			ch, bad := s.newChoice(st, prompt)
			if bad != nil {
				return bad
			}
			ch.lead = i == 0
			st.choices = append(st.choices, ch)
		}
	}
	st.open = len(st.choices)
	return nil
}
