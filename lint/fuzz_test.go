package lint

import "testing"

// Whatever somebody writes, reading a file of statements ends in statements or in
// an error.
func FuzzStatements(f *testing.F) {
	f.Add([]byte("version: \"1.0\"\nstatements:\n- {metric: ttft.v2, statistic: p50, value: 0.1}\n"))
	f.Add([]byte(`{"version":"1.0","statements":[{"metric":"x","value":1,"interval":[1,null]}]}`))
	f.Add([]byte("version: [\nstatements: {"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseStatements("fuzz.yaml", data)
		if err == nil && len(file.Statements)+len(file.Tuning)+len(file.Omitted) == 0 {
			t.Error("a file that states nothing was taken")
		}
	})
}
