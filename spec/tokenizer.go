package spec

// What counts tokens.
const (
	TokenizerDefault = "default"
	TokenizerFile    = "file"
	TokenizerServer  = "server"
)

// A Tokenizer says what counts tokens: how long synthetic prompts are, and how
// long answers were.
type Tokenizer struct {
	// default is the small one that assay carries, which is no model's: it makes
	// prompts and counts no answers. file reads path. server asks the target's
	// /tokenize before the load begins, and never while it is measured. By default
	// file where a path is given.
	Kind string `json:"kind,omitzero" default:"default" enum:"tokenizerKinds"`

	// A tokenizer.json, a .tiktoken file, a SentencePiece model, or a folder with
	// one of the first and last. It is no part of the workload's identity: the
	// digest is.
	Path string `json:"path,omitzero" example:"models/llama-3.1/tokenizer.json"`

	// The SHA-256 of the file. Another content is refused, and the message tells
	// the digest that was found.
	Digest string `json:"digest,omitzero" pattern:"^sha256:[0-9a-f]{64}$" form:"sha256: and 64 hexadecimal digits" example:"sha256:0c2c4d3a6d1f4a0f6d7a7f0e2f3d5c1b8e9a4b6c7d8e9f0a1b2c3d4e5f607182"`

	// How a .tiktoken file cuts text into words, where its name does not tell.
	Pattern string `json:"pattern,omitzero" enum:"tokenPatterns"`
}

// Named reports whether the author chose the tokenizer: only then do its counts
// say anything about the model.
func (t Tokenizer) Named() bool { return t.Kind == TokenizerFile || t.Kind == TokenizerServer }

// deriveTokenizer makes a path mean a file.
func deriveTokenizer(w *Workload, note func(path string, value any)) {
	if w.Tokenizer.Path != "" {
		setValue(&w.Tokenizer.Kind, TokenizerFile, "spec.workload.tokenizer.kind", note)
	}
}

// tokenizerAgrees checks that a file is named by its content.
func tokenizerAgrees(c *checker) {
	const path = "spec.workload.tokenizer"
	t := c.run.Spec.Workload.Tokenizer
	if t.Kind == TokenizerFile {
		if t.Path == "" {
			c.fail(path+".path", "names the file of kind file")
		}
		if t.Digest == "" && !c.unread[path+".digest"] {
			c.fail(path+".digest", "must name the content of the file: sha256:HEX, as sha256sum prints it")
		}
		return
	}
	if t.Path != "" || t.Digest != "" || t.Pattern != "" {
		c.fail(path+".kind", "path, digest and pattern belong to kind file")
	}
}
