//go:build !race

package spec

// combinationStride takes every combination of the renderer.
const combinationStride = 1
