//go:build !linux

package target

// newEngine returns nil: elsewhere net/http does the work.
func newEngine(*Client) engine { return nil }
