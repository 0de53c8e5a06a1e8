package spec

import "testing"

// One server has many addresses, and two servers none in common.
func TestPlainAddress(t *testing.T) {
	same := [][]string{
		{"http://127.0.0.1:8000", "http://localhost:8000/", "HTTP://LOCALHOST:8000", "http://[::1]:8000", "http://0.0.0.0:8000", "http://127.0.0.2:8000"},
		{"http://gpu-07", "http://GPU-07:80/", "http://gpu-07."},
		{"https://gpu-07/v1", "https://gpu-07:443/v1/"},
		{"https://gpu-07"}, {"http://gpu-07:443"}, {"http://gpu-08"}, {"gpu-07"}, {""},
	}
	seen := map[string]int{}
	for i, list := range same {
		for _, u := range list {
			plain := (&Target{URL: u}).Address()
			if j, known := seen[plain]; known != (u != list[0]) || known && i != j {
				t.Errorf("%s is written as %s", u, plain)
			}
			seen[plain] = i
		}
	}
}
