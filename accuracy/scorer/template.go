package scorer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// fill puts an item into a template. What stands in an answer is not looked at again: an
// answer that holds {{reference}} cannot ask for it.
func fill(template string, item Item) string {
	reference := ""
	if len(item.References) > 0 {
		reference = item.References[0]
	}
	return strings.NewReplacer("{{prompt}}", item.Prompt, "{{prediction}}", item.Prediction, "{{reference}}", reference).Replace(template)
}

func templateOr(own, usual string) string { return cmp.Or(own, usual) }

// TemplateHash names a template in a signature.
func TemplateHash(template string) string {
	sum := sha256.Sum256([]byte(template))
	return hex.EncodeToString(sum[:6])
}

// Signature says what made a score: the kind, the model that was asked and, where the
// server calls it otherwise, its own name for it, and the words.
func Signature(kind, asked, answered, template string) string {
	text := kind + " model:" + asked
	if answered != "" && answered != asked {
		text += " served:" + answered
	}
	return text + " template:" + TemplateHash(template)
}
