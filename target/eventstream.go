package target

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// A message of Amazon's event stream is
//
//	total length (4) | length of headers (4) | CRC of these (4)
//	headers | payload | CRC of all before (4)
//
// with numbers in network order and the CRC-32 of Ethernet.
const (
	streamPrelude = 12
	streamTrailer = 4
	// maxStreamMessage is the limit that the format's definition sets.
	maxStreamMessage = 24 << 20
)

// eventStream cuts a body in Amazon's event-stream framing. The type of an event
// stands in a header of its message, not in the payload, so each event is given
// out as an object with the type as its only name: {"messageStop":{…}}.
func eventStream(body []byte, yield func(data []byte, end int)) (rest []byte, err error) {
	at := 0
	for at < len(body) {
		left := body[at:]
		if len(left) < streamPrelude {
			return left, nil
		}
		total := int(binary.BigEndian.Uint32(left))
		headers := int(binary.BigEndian.Uint32(left[4:]))
		if got, want := crc32.ChecksumIEEE(left[:8]), binary.BigEndian.Uint32(left[8:]); got != want {
			return nil, fmt.Errorf("event stream: checksum of the prelude at byte %d is %08x, the message says %08x", at, got, want)
		}
		if total > maxStreamMessage || headers < 0 || total < streamPrelude+headers+streamTrailer {
			return nil, fmt.Errorf("event stream: message at byte %d claims %d bytes with %d of headers", at, total, headers)
		}
		if len(left) < total {
			return left, nil
		}
		message := left[:total]
		trailer := total - streamTrailer
		if got, want := crc32.ChecksumIEEE(message[:trailer]), binary.BigEndian.Uint32(message[trailer:]); got != want {
			return nil, fmt.Errorf("event stream: checksum of the message at byte %d is %08x, the message says %08x", at, got, want)
		}
		names, err := streamHeaders(message[streamPrelude : streamPrelude+headers])
		if err != nil {
			return nil, fmt.Errorf("event stream: message at byte %d: %w", at, err)
		}
		at += total
		yield(streamEvent(names, message[streamPrelude+headers:trailer]), at)
	}
	return nil, nil
}

// streamEvent joins the type of a message with its payload.
func streamEvent(headers map[string]string, payload []byte) []byte {
	var name string
	switch headers[":message-type"] {
	case "exception":
		name = headers[":exception-type"]
	case "error":
		name = "error"
		payload, _ = json.Marshal(map[string]string{"code": headers[":error-code"], "message": headers[":error-message"]})
	default:
		name = headers[":event-type"]
	}
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	quoted, _ := json.Marshal(name) // text always marshals
	return append(append(append(append([]byte("{"), quoted...), ':'), payload...), '}')
}

// streamWidths are the sizes of header values by their type: true, false, byte,
// short, integer, long, bytes, text, timestamp, UUID. Bytes and text carry a
// length of two bytes first.
var streamWidths = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const streamText = 7

// streamHeaders reads the headers of a message and keeps those of text.
func streamHeaders(data []byte) (map[string]string, error) {
	headers := map[string]string{}
	for len(data) > 0 {
		length := int(data[0])
		if len(data) < 1+length+1 {
			return nil, fmt.Errorf("headers end inside a name")
		}
		name, kind := string(data[1:1+length]), int(data[1+length])
		data = data[length+2:]
		if kind >= len(streamWidths) {
			return nil, fmt.Errorf("header %q has the unknown type %d", name, kind)
		}
		width := streamWidths[kind]
		if width < 0 {
			if len(data) < 2 {
				return nil, fmt.Errorf("headers end inside the length of %q", name)
			}
			width = int(binary.BigEndian.Uint16(data))
			data = data[2:]
		}
		if len(data) < width {
			return nil, fmt.Errorf("headers end inside the value of %q", name)
		}
		if kind == streamText {
			headers[name] = string(data[:width])
		}
		data = data[width:]
	}
	return headers, nil
}
