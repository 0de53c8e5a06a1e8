package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"assay/record"
)

// resources are the files of /proc/pressure.
var resources = []string{"cpu", "memory", "io"}

var pressureSection = section{names: pressureNames(), read: readPressure}

func pressureNames() []string {
	var out []string
	for _, r := range resources {
		for _, kind := range []string{"some", "full"} {
			for _, window := range []string{"avg10", "avg60"} {
				out = append(out, pressureName(r, kind, window))
			}
		}
	}
	return out
}

func pressureName(resource, kind, window string) string {
	return "pressure." + resource + "." + kind + "_" + window + "_percent"
}

func readPressure(_ context.Context, h Host, env record.Environment) error {
	for _, r := range resources {
		values, err := pressure(h, r)
		for _, kind := range []string{"some", "full"} {
			for _, window := range []string{"avg10", "avg60"} {
				name := pressureName(r, kind, window)
				v, ok := values[kind+"."+window]
				switch {
				case err != nil:
					env.Miss(name, err.Error())
				case !ok:
					env.Miss(name, "/proc/pressure/"+r+": no line "+kind) // cpu has no full before 5.13
				default:
					env.Set(name, v)
				}
			}
		}
	}
	return nil
}

// pressure reads one PSI file into values such as some.avg10 (percent) and
// some.total (microseconds).
func pressure(h Host, resource string) (map[string]float64, error) {
	file := "proc/pressure/" + resource
	text, err := h.text(file)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		for i := 1; i < len(parts); i++ {
			key, value, _ := strings.Cut(parts[i], "=")
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, fmt.Errorf("/%s: got %q, want KEY=NUMBER", file, parts[i])
			}
			out[parts[0]+"."+key] = v
		}
	}
	return out, nil
}
