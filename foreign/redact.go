package foreign

import (
	"bytes"
	"regexp"

	"assay/bundle"
)

// Tools write their settings and their command lines into their results, keys
// and headers among them: AIPerf the command, GuideLLM its backend, SGLang what
// the server says about itself.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)("[a-z0-9_-]*(?:api_?key|secret|password|authorization|cookie|(?:access|auth|hf|bearer)_token)[a-z0-9_-]*"\s*:\s*\[?\s*)"(?:[^"\\]|\\.)*"`),
	regexp.MustCompile(`(?i)(\s(?:--[a-z-]*(?:api-key|password|secret|auth-token|hf-token)|--[a-z-]*headers?|-H)[ =]+)(?:'[^']*'|\\"(?:[^"\\]|\\[^"])*\\"|[^\s"'\\]+)`),
	regexp.MustCompile(`(?i)(\bbearer\s+)[a-z0-9._~+/=-]+`),
}

// redacted is the file with what a bundle may keep of it. One that is too large
// to be kept needs none.
func (f File) redacted() File {
	if len(f.Data) > keptBytes {
		return f
	}
	kept := f.Data
	for i, pattern := range secrets {
		with := "${1}" + bundle.Redacted
		if i == 0 {
			with = `${1}"` + bundle.Redacted + `"`
		}
		kept = pattern.ReplaceAll(kept, []byte(with))
	}
	if !bytes.Equal(kept, f.Data) {
		f.Kept = kept
	}
	return f
}
