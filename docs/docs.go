// Package docs holds the guides and references as the program carries them, for those
// who read them through it. It has no code.
package docs

import "embed"

// Pages are the guides and references, by their names in this folder.
//
//go:embed guides/*.md reference/*.md words.md
var Pages embed.FS
