package telemetry

import (
	"context"
	"strings"

	"assay/record"
)

var osSection = section{
	names: []string{"os.id", "os.version", "os.name"},
	read:  readOS,
}

func readOS(_ context.Context, h Host, env record.Environment) error {
	text, err := h.text("etc/os-release")
	if err != nil {
		return err
	}
	values := keyValues(text, "=")
	for name, key := range map[string]string{"os.id": "ID", "os.version": "VERSION_ID", "os.name": "PRETTY_NAME"} {
		if v := strings.Trim(values[key], `"'`); v != "" {
			env.Set(name, v)
		} else {
			env.Miss(name, "/etc/os-release: no "+key) // rolling releases have no version
		}
	}
	return nil
}
