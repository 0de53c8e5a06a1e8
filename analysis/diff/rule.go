package diff

import "strings"

// A rule says what a difference at some paths means.
type rule struct {
	path string // a star stands for anything, dots included

	ignore   bool   // it means nothing
	along    bool   // it goes along with any variable
	variable string // the variable it belongs to; empty means to none
	named    bool   // it is a variable of its own, called by its path
	address  bool   // along where both values can be an address, and else named

	reason string
}

// rules are read from the top: the first that fits decides.
type rules []rule

func (list rules) find(path string) (rule, bool) {
	for _, r := range list {
		if matches(r.path, path) {
			return r, true
		}
	}
	return rule{}, false
}

// matches reports whether text fits pattern, in which * is any run of characters.
func matches(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for i := range len(text) + 1 {
		if matches(rest, text[i:]) {
			return true
		}
	}
	return false
}

// The variables that a comparison may declare, as package spec lists them.
const (
	hardware  = "hardware_generation"
	runtime   = "runtime_version"
	scheduler = "scheduler_path"
	control   = "control_plane_path"
	driver    = "driver_stack"
	network   = "network_topology"
	storage   = "storage_stack"
)
