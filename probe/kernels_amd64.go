package probe

import "golang.org/x/sys/cpu"

//go:noescape
func tile64AVX2(k int, a, b, c *float64)

//go:noescape
func tile32AVX2(k int, a, b, c *float32)

//go:noescape
func tile64AVX512(k int, a, b, c *float64)

//go:noescape
func tile32AVX512(k int, a, b, c *float32)

//go:noescape
func lineAVX2(x *float64, blocks, rounds int, a, b float64)

//go:noescape
func lineAVX512(x *float64, blocks, rounds int, a, b float64)

// kernels lists what this processor can do, the widest first.
func kernels() []kernel {
	var list []kernel
	if cpu.X86.HasAVX512F {
		list = append(list, kernel{"AVX-512", 16, 32, tile64AVX512, tile32AVX512, 64, lineAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append(list, kernel{"AVX2", 8, 16, tile64AVX2, tile32AVX2, 32, lineAVX2})
	}
	return append(list, portable)
}
