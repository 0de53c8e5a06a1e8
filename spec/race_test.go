//go:build race

package spec

// combinationStride thins the 44,352 combinations of the renderer out where each
// costs ten times as much. It has no factor in common with any axis, so every
// choice still occurs.
const combinationStride = 29
