package metric

// watched are the figures of a server that people look at while a run goes on.
var watched = map[noun]string{running: "running", waiting: "waiting", cacheUsage: "KV cache"}

// Watched says which figure of a server the series of a metrics page is: running,
// waiting or KV cache (a share). Of two names for one figure on one page the lower
// rank counts. It is false for every other series.
func Watched(name, scope string) (what string, rank int, ok bool) {
	for i, n := range serverNames {
		if n.name == name && n.takes(scope) && watched[n.noun] != "" {
			return watched[n.noun], i, true
		}
	}
	return "", 0, false
}
