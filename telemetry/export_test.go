package telemetry

// Names lists the facts that every environment holds.
func Names() []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.names...)
	}
	return out
}
