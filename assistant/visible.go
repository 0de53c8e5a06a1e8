package assistant

import (
	"bytes"
	"encoding/json"

	"assay/visible"
)

// visibleValues is JSON with each of its texts made visible.
func visibleValues(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // as they are written, to the last digit
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(shown(v))
	return bytes.TrimSpace(out.Bytes()), err
}

func shown(v any) any {
	switch v := v.(type) {
	case string:
		return visible.Text(v)
	case []any:
		for i := range v {
			v[i] = shown(v[i])
		}
	case map[string]any:
		for key, value := range v {
			delete(v, key)
			v[visible.Line(key)] = shown(value)
		}
	}
	return v
}
