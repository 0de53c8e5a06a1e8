package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// A refusal is a request that is answered with an OpenAI-style error object.
type refusal struct {
	status  int
	kind    string // "invalid_request_error"
	param   string
	message string
}

func badRequest(param, format string, args ...any) *refusal {
	return &refusal{400, "BadRequestError", param, fmt.Sprintf(format, args...)}
}

// refuse sends an error object as OpenAI does.
func (c *conn) refuse(r *refusal, last bool) {
	c.reply(r.status, "application/json", string(r.body()), closeHeader(last)...)
}

func (r *refusal) body() []byte {
	var out struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    int     `json:"code"`
		} `json:"error"`
	}
	out.Error.Message, out.Error.Type, out.Error.Code = r.message, r.kind, r.status
	if r.param != "" {
		out.Error.Param = &r.param
	}
	body, _ := json.Marshal(out) // strings and a number always have a JSON form
	return body
}

func closeHeader(last bool) []string {
	if last {
		return []string{"Connection: close"}
	}
	return nil
}

// httpHead is the head of an answer of known length.
func httpHead(status int, contentType string, length int, headers ...string) []byte {
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n",
		status, http.StatusText(status), contentType, length)
	for _, h := range headers {
		b = append(append(b, h...), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// reply sends a whole answer.
func (c *conn) reply(status int, contentType, body string, headers ...string) {
	c.send(append(httpHead(status, contentType, len(body), headers...), body...))
}
