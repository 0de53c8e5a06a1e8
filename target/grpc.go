package target

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"assay/record"
)

// gRPC is HTTP/2 with messages of a known length in the body and the outcome in
// the trailers. It is read as every answer over HTTP/2 is, so that nothing of a
// gRPC library, which reads ahead and decodes on the way, comes between a message
// and its stamp.

// grpcPrefix is what precedes each message: whether it is compressed, and its
// length.
const grpcPrefix = 5

// grpcMessage puts the prefix before a message.
func grpcMessage(message []byte) []byte {
	out := binary.BigEndian.AppendUint32(make([]byte, 1, grpcPrefix+len(message)), uint32(len(message)))
	return append(out, message...)
}

// grpcFrames cuts a body into messages.
func grpcFrames(body []byte, yield func([]byte, int)) ([]byte, error) {
	for at := 0; ; {
		message, size, err := cutMessage(body[at:])
		if err != nil || size == 0 {
			return body[at:], err
		}
		at += size
		yield(message, at)
	}
}

// cutMessage is the first message of body and how many bytes it takes there; no
// bytes when it is not whole.
func cutMessage(body []byte) (message []byte, size int, err error) {
	if len(body) == 0 {
		return nil, 0, nil
	}
	if body[0] != 0 {
		return nil, 0, fmt.Errorf("a message of gRPC begins with %#x: want 0, since no compression was offered", body[0])
	}
	if len(body) < grpcPrefix {
		return nil, 0, nil
	}
	size = grpcPrefix + int(binary.BigEndian.Uint32(body[1:]))
	if len(body) < size {
		return nil, 0, nil
	}
	return body[grpcPrefix:size:size], size, nil
}

// grpcShape is the exchange of every gRPC method.
func grpcShape(method string) Shape {
	return Shape{
		Path: method, Frames: grpcFrames, End: EndBody, HTTP2: true, Verdict: grpcVerdict,
		Header: http.Header{
			"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Accept-Encoding": {"identity"}, "Accept": nil,
		},
	}
}

// grpcVerdict reads the status. A server that refuses at once puts it into the
// headers, since there is no body for trailers to follow.
func grpcVerdict(header, trailer http.Header) (problem string, found bool) {
	for _, fields := range []http.Header{trailer, header} {
		status := fields.Get("Grpc-Status")
		if status == "" {
			continue
		}
		if status == "0" {
			return "", true
		}
		message, err := url.PathUnescape(fields.Get("Grpc-Message"))
		if err != nil {
			message = fields.Get("Grpc-Message")
		}
		return fmt.Sprintf("grpc-status %s %s: %s", status, grpcCode(status), message), true
	}
	return "", false
}

func grpcCode(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil || code < 0 || code >= len(grpcCodes) {
		return "(unknown)"
	}
	return grpcCodes[code]
}

// grpcCodes are the names of the codes, in their order.
var grpcCodes = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// refused asks for the server's own verdict, where the API has one, and reports
// whether there is no body to read beside it. What came before a bad verdict is
// kept.
func (a *answer) refused(raw *Raw) bool {
	if a.client.shape.Verdict == nil || raw.err != nil {
		return false
	}
	problem, found := a.client.shape.Verdict(raw.header, raw.trailer)
	nothing := len(raw.reading.body) == 0
	switch {
	case !found:
		a.fault(record.Truncated, "the stream ended without a status of the server")
	case problem != "" && nothing:
		a.fault(record.HTTPError, a.client.quoted(problem))
	case problem != "":
		a.fault(record.StreamErr, a.client.quoted(problem))
	default:
		return false
	}
	if nothing {
		a.request.Result, a.request.Error = a.outcome, a.problem
	}
	return nothing
}
