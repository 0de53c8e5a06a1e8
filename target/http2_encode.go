package target

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"
)

// encodeHTTP2 packs the head of p as it will go out, so that nothing but the write
// is left to do when it is due. It refers to nothing that a connection remembers, so
// that any connection can send it. The fields are those that net/http sends.
func (c *Client) encodeHTTP2(p *Prepared) error {
	u := c.urls[int(p.Call.ID)%len(c.urls)]
	var out bytes.Buffer
	pack := hpack.NewEncoder(&out)
	pack.SetMaxDynamicTableSize(0)
	// Writes to out, which is memory, do not fail.
	field := func(name, value string) { _ = pack.WriteField(hpack.HeaderField{Name: name, Value: value}) }
	field(":authority", u.Host)
	field(":method", http.MethodPost)
	field(":path", u.RequestURI())
	field(":scheme", u.Scheme)
	agent := defaultAgent
	for _, name := range slices.Sorted(maps.Keys(p.header)) {
		lower := strings.ToLower(name)
		if slices.Contains(connectionFields, lower) {
			continue
		}
		values := p.header[name]
		if lower == "user-agent" {
			agent = strings.Join(values[:min(1, len(values))], "")
			continue
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("encode the request: invalid header %q", name)
			}
			field(lower, value)
		}
	}
	if agent != "" {
		field("user-agent", agent)
	}
	field("content-length", strconv.Itoa(len(p.body)))
	p.block = bytes.Clone(out.Bytes()) // to size: many may wait
	p.wire, p.body = p.body, nil
	return nil
}

// defaultAgent is what net/http calls itself over HTTP/2.
const defaultAgent = "Go-http-client/2.0"

// connectionFields speak of the connection, which HTTP/2 has its own frames for, or
// are written by whoever writes the request.
var connectionFields = []string{"host", "content-length", "connection", "proxy-connection", "transfer-encoding", "upgrade", "keep-alive"}
