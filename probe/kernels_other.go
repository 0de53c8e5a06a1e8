//go:build !amd64

package probe

// kernels lists what this processor can do: here, what Go's compiler makes of it.
func kernels() []kernel { return []kernel{portable} }
