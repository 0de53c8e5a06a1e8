package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// unique refuses JSON in which an object has a key twice. Which of the two counts
// depends on who reads it: a file could say one thing to people and another to us.
func (f File) unique(want string) error {
	if key, at := duplicateKey(f.Data); at >= 0 {
		return fmt.Errorf("%s: %s stands twice in one object, at byte %d: want %s", f.Name, key, at, want)
	}
	return nil
}

// An objectKeys is an object, or a list, that a scan is inside of.
type objectKeys struct {
	object bool
	key    bool // whether the next string is a key
	seen   map[string]struct{}
}

// duplicateKey is the first key that an object has twice, and where; -1 when there
// is none. It goes over the bytes once and leaves it to the decoder to find what is
// no JSON.
func duplicateKey(data []byte) (key string, at int) {
	var inside []objectKeys // those below depth are open; the others keep their maps for reuse
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth == len(inside) {
				inside = append(inside, objectKeys{seen: map[string]struct{}{}})
			}
			top := &inside[depth]
			top.object, top.key = data[i] == '{', data[i] == '{'
			clear(top.seen)
			depth++
		case '}', ']':
			depth = max(0, depth-1)
		case ',':
			if depth > 0 {
				inside[depth-1].key = inside[depth-1].object
			}
		case ':':
			if depth > 0 {
				inside[depth-1].key = false
			}
		case '"':
			end := stringEnd(data, i)
			if depth > 0 && inside[depth-1].key {
				name := keyOf(data[i:min(end+1, len(data))])
				if _, twice := inside[depth-1].seen[name]; twice {
					return name, i
				}
				inside[depth-1].seen[name] = struct{}{}
			}
			i = end
		}
	}
	return "", -1
}

// stringEnd is where the string that begins at i ends.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// keyOf is a key without its quotes; one key can be spelt in several ways.
func keyOf(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) > 1 {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return string(quoted)
	}
	return name
}
