package sim

import (
	"fmt"
	"net/http"
	"time"
)

// retryAfter is what the faults about rate limits ask for, in seconds.
const retryAfter = 2

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"

func emptyBody(c *conn, _ *stream) bool {
	c.send([]byte(streamHead + "0\r\n\r\n"))
	return true
}

func redirect(status int) func(*conn, *stream) bool {
	return func(c *conn, st *stream) bool {
		path := "/v1/completions"
		if st.req.chat {
			path = "/v1/chat/completions"
		}
		c.send(httpHead(status, "text/plain", 0, "Location: "+path))
		return true
	}
}

func rateLimit(asDate bool) func(*conn, *stream) bool {
	return func(c *conn, _ *stream) bool {
		after := fmt.Sprint(retryAfter)
		if asDate {
			after = time.Now().Add(retryAfter * time.Second).UTC().Format(http.TimeFormat)
		}
		c.reply(429, "application/json", `{"error":{"message":"slow down","type":"RateLimitError","param":null,"code":429}}`, "Retry-After: "+after)
		return true
	}
}

func page500(c *conn, _ *stream) bool {
	c.reply(500, "text/html", "<html><body><h1>500 Internal Server Error</h1></body></html>\n")
	return true
}

func page200(c *conn, _ *stream) bool {
	c.reply(200, "text/html", "<html><body><h1>Welcome</h1></body></html>\n")
	return true
}

func object400(c *conn, _ *stream) bool {
	c.refuse(badRequest("messages", "the simulator was asked to refuse this"), false)
	return true
}

func closeNow(*conn, *stream) bool { return false }

func hang(c *conn, _ *stream) bool {
	c.hold()
	return false
}

func hangAfterHead(c *conn, _ *stream) bool {
	c.send([]byte(streamHead))
	c.hold()
	return false
}
