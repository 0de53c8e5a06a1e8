package target

import (
	"bytes"
	"encoding/json"
)

// items is a list in an answer. Read as a plain slice, a body of "[0,0,0…" would
// take up to a hundred times its own length before anybody could look at it.
type items[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *items[T]) UnmarshalJSON(data []byte) error {
	if len(data) <= maxParts || data[0] != '[' { // an item has a byte, at least
		return json.Unmarshal(data, (*[]T)(l))
	}
	values := json.NewDecoder(bytes.NewReader(data))
	if _, err := values.Token(); err != nil {
		return err
	}
	for values.More() {
		var item T
		if err := values.Decode(&item); err != nil {
			return err
		}
		if *l = append(*l, item); len(*l) > maxParts {
			return tooMany("list items", maxParts)
		}
	}
	return nil
}
