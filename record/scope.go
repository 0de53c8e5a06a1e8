package record

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// PageScope names a server's metrics page by host alone: its address may hold a
// password.
func PageScope(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		return "server"
	}
	return u.Host
}

// LabelScope writes labels as {a="x",b="y"} in the order of their names, with one
// more pair at the end where given: the bound of a bucket stands last.
func LabelScope(labels map[string]string, more ...string) string {
	parts := make([]string, 0, len(labels)+1)
	for name, value := range labels {
		parts = append(parts, name+"="+strconv.Quote(value))
	}
	slices.Sort(parts)
	if len(more) == 2 {
		parts = append(parts, more[0]+"="+strconv.Quote(more[1]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Bound writes the bound of a bucket, or a quantile, as labels have it.
func Bound(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// UnitOfName reads the unit off the name of a server's metric, as Prometheus asks
// names to be written. Buckets and counts count.
func UnitOfName(name string) string {
	if strings.HasSuffix(name, "_bucket") || strings.HasSuffix(name, "_count") {
		return "1"
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_total"), "_sum")
	for _, u := range []struct{ suffix, unit string }{
		{"_seconds", "s"}, {"_bytes", "B"}, {"_joules", "J"}, {"_watts", "W"}, {"_celsius", "C"}, {"_tokens", "tok"},
	} {
		if strings.HasSuffix(name, u.suffix) {
			return u.unit
		}
	}
	return "1"
}
