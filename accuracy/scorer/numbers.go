package scorer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decode reads a reply. Python's json writes NaN and Infinity, which JSON does not have:
// they are read as null, which is no score.
func decode(data []byte) (reply wireScores, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return reply, errors.New("its reply is empty: want {\"scores\": […]}")
	}
	if err := json.Unmarshal(withoutNaN(data), &reply); err != nil {
		return reply, fmt.Errorf("its reply %q is not {\"scores\": […]}: %w", short(string(data)), err)
	}
	if reply.Scores == nil && reply.Error == "" {
		return reply, fmt.Errorf("its reply %q has no scores: want {\"scores\": […]}", short(string(data)))
	}
	return reply, nil
}

// notNumbers are the words of Python's json, the longest first.
var notNumbers = [][]byte{[]byte("-Infinity"), []byte("Infinity"), []byte("NaN")}

// withoutNaN writes null for every word of notNumbers that stands outside of strings.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data))
	inside := false
	for i := 0; i < len(data); {
		n := 0
		if !inside {
			n = notNumber(data[i:])
		}
		switch {
		case n > 0:
			out = append(out, "null"...)
			i += n
			continue
		case inside && data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		case data[i] == '"':
			inside = !inside
		}
		out = append(out, data[i])
		i++
	}
	return out
}

// notNumber is the length of the word that data begins with; 0 for none of them.
func notNumber(data []byte) int {
	for _, word := range notNumbers {
		if bytes.HasPrefix(data, word) {
			return len(word)
		}
	}
	return 0
}
