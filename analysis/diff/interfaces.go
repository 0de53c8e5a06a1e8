package diff

import (
	"strings"

	"assay/record"
)

// bypassed reports whether a fact is about a network interface that requests to this very
// machine do not cross: one without a device, such as a tunnel or a bridge, which programs
// make and remove as they like. That of a card is compared all the same, for ranks behind
// a local server may talk across it.
func bypassed(name string, env record.Environment) bool {
	about, isNet := strings.CutPrefix(name, "net.")
	dot := strings.LastIndex(about, ".") // an interface may have dots in its name: eth0.100
	if !isNet || dot < 0 || about[:dot] == "lo" {
		return false
	}
	return env["net."+about[:dot]+".driver"].Value == nil
}
