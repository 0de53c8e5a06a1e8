package fidelity

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// tokenizerName is how peers find the tokenizer that writeTokenizer makes.
const tokenizerName = "assay/bytes"

func tokenizerHome(dir string) string { return filepath.Join(dir, "huggingface") }

const tokenizerRevision = "0000000000000000000000000000000000000001"

// tokenizerFolder is the tokenizer for peers that load one by its path.
func tokenizerFolder(dir string) string {
	return filepath.Join(tokenizerHome(dir), "hub", "models--assay--bytes", "snapshots", tokenizerRevision)
}

// writeTokenizer puts a byte tokenizer where Hugging Face's libraries keep what
// they have downloaded: peers insist on one, and nothing may come from a network.
func writeTokenizer(dir string) error {
	snapshot := tokenizerFolder(dir)
	refs := filepath.Join(snapshot, "..", "..", "refs")
	vocabulary := map[string]int{"<|end|>": 256}
	for b, char := range byteAlphabet() {
		vocabulary[char] = b
	}
	level := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	files := map[string]any{
		"tokenizer.json": map[string]any{
			"version": "1.0", "pre_tokenizer": level, "decoder": level,
			"added_tokens": []map[string]any{{
				"id": 256, "content": "<|end|>", "special": true,
				"single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
			}},
			"model": map[string]any{"type": "BPE", "vocab": vocabulary, "merges": []string{}},
		},
		"tokenizer_config.json": map[string]any{"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "model_max_length": 1 << 20},
	}
	for _, folder := range []string{refs, snapshot} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for name, content := range files {
		data, err := json.Marshal(content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(snapshot, name), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(refs, "main"), []byte(tokenizerRevision), 0o644)
}

// byteAlphabet is the printable character for each byte that byte-level
// tokenizers use, as GPT-2 fixed it: itself where that is printable, otherwise
// the next free one from U+0100 on.
func byteAlphabet() (chars [256]string) {
	next := rune(256)
	for b := range chars {
		r := rune(b)
		if !(r >= '!' && r <= '~' || r >= '¡' && r <= '¬' || r >= '®' && r <= 'ÿ') {
			r = next
			next++
		}
		chars[b] = string(r)
	}
	return chars
}
