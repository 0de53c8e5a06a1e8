package target

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEventStream uses messages that Amazon publishes with the definition of the
// format, whole and damaged.
func TestEventStream(t *testing.T) {
	const (
		empty   = "000000100000000005c248eb7d98c8ff"
		payload = "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936" // {'foo':'bar'}
	)
	tests := []struct {
		name, body string
		events     []string
		rest       int
		error      string
	}{
		{"nothing", "", nil, 0, ""},
		{"empty message", empty, []string{`{"":{}}`}, 0, ""},
		{"payload without headers", payload, []string{`{"":{'foo':'bar'}}`}, 0, ""},
		{"two messages", empty + payload, []string{`{"":{}}`, `{"":{'foo':'bar'}}`}, 0, ""},
		{"half a prelude", empty + payload[:16], []string{`{"":{}}`}, 8, ""},
		{"half a message", empty + payload[:40], []string{`{"":{}}`}, 20, ""},
		{"damaged prelude", "00000011" + empty[8:], nil, 0, "checksum of the prelude at byte 0"},
		{"damaged payload", strings.Replace(payload, "666f6f", "666f6e", 1), nil, 0, "checksum of the message at byte 0"},
		{"damaged trailer", empty + payload[:len(payload)-2] + "37", []string{`{"":{}}`}, 0, "checksum of the message at byte 16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := hex.DecodeString(tt.body)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			rest, err := eventStream(body, func(data []byte, _ int) { got = append(got, string(data)) })
			if strings.Join(got, " ") != strings.Join(tt.events, " ") || len(rest) != tt.rest {
				t.Errorf("events %q, rest of %d bytes; want %q and %d", got, len(rest), tt.events, tt.rest)
			}
			if (err == nil) != (tt.error == "") || err != nil && !strings.Contains(err.Error(), tt.error) {
				t.Errorf("error %v, want one with %q", err, tt.error)
			}
		})
	}
}

// Any single changed bit of a stream is noticed.
func TestEventStreamNoticesEveryBit(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "dialects", "aws-bedrock", "tools.eventstream"))
	if err != nil {
		t.Fatal(err)
	}
	count := func(body []byte) (n int, failed bool) {
		rest, err := eventStream(body, func([]byte, int) { n++ })
		return n, err != nil || len(rest) > 0
	}
	want, failed := count(whole)
	if failed || want != 6 {
		t.Fatalf("%d events, failed %v; want 6 events", want, failed)
	}
	for bit := range len(whole) * 8 {
		whole[bit/8] ^= 1 << (bit % 8)
		if n, failed := count(whole); !failed || n >= want {
			t.Fatalf("bit %d of byte %d changed: %d events, failed %v", bit%8, bit/8, n, failed)
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
}

func TestStreamHeaders(t *testing.T) {
	text := "\x01s\x07\x00\x02hi"
	values := "\x01a\x00\x01b\x01\x01c\x02x\x01d\x03xx\x01e\x04xxxx\x01f\x05xxxxxxxx\x01g\x06\x00\x03xyz\x01h\x08xxxxxxxx\x01i\x09xxxxxxxxxxxxxxxx"
	got, err := streamHeaders([]byte(values + text))
	if err != nil || len(got) != 1 || got["s"] != "hi" {
		t.Errorf("headers %v, error %v; want the text behind values of every type", got, err)
	}
	for _, bad := range []string{"\x05ab", "\x01s", "\x01s\x0a", "\x01s\x07\x00", "\x01s\x07\x00\x05hi", "\x01e\x04xx"} {
		if got, err := streamHeaders([]byte(bad)); err == nil {
			t.Errorf("headers %q gave %v, want an error", bad, got)
		}
	}
}

func FuzzEventStream(f *testing.F) {
	for _, seed := range []string{"000000100000000005c248eb7d98c8ff", "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936"} {
		body, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last := 0
		rest, err := eventStream(body, func(_ []byte, end int) {
			if end <= last || end > len(body) {
				t.Fatalf("event ends at %d after one that ended at %d, body of %d", end, last, len(body))
			}
			last = end
		})
		if err == nil && last+len(rest) != len(body) {
			t.Fatalf("events end at %d and %d bytes are left of %d", last, len(rest), len(body))
		}
	})
}
