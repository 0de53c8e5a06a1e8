package token

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/tests/whole"
)

// python finds an interpreter that has the reference implementations.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("ASSAY_PYTHON")
	if path == "" {
		path = filepath.Join("..", "..", ".venv", "bin", "python")
	}
	if err := exec.Command(path, "-c", "import tokenizers, tiktoken, sentencepiece").Run(); err != nil {
		t.Skipf("%s with tokenizers, tiktoken and sentencepiece is not there; make test installs it", path)
	}
	return path
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readIDs reads what write_ids of token_oracle.py wrote.
func readIDs(t *testing.T, path string) (rows [][]int32) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int32, len(data)/4)
	for i := range all {
		all[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	for len(all) > 0 {
		n := all[0]
		rows = append(rows, all[1:1+n])
		all = all[1+n:]
	}
	return rows
}

// oracleTexts are the texts that make exhaustive compares; make test takes one in five.
const oracleTexts = 20_000

// TestOracles trains tokenizers of every kind with the reference implementations and
// compares ids on many texts, and texts on 2,000 rows of ids.
func TestOracles(t *testing.T) {
	folder := os.Getenv("ASSAY_ORACLE") // a folder made before, to save the training
	if folder == "" {
		folder = t.TempDir()
		cmd := exec.Command(python(t), filepath.Join("..", "..", "tests", "token_oracle.py"), folder, strconv.Itoa(oracleTexts/whole.Stride(5)))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("token_oracle.py: %v\n%s", err, out)
		}
	}
	var texts []string
	readJSON(t, filepath.Join(folder, "texts.json"), &texts)
	var models []struct {
		Name, File, Pattern string
		Specials            bool
		Decoded             []string
	}
	readJSON(t, filepath.Join(folder, "models.json"), &models)
	if len(models) < 20 || len(texts) != oracleTexts/whole.Stride(5) {
		t.Fatalf("got %d models and %d texts, want at least 20 and %d", len(models), len(texts), oracleTexts/whole.Stride(5))
	}
	for _, m := range models {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			loaded, err := Load(filepath.Join(folder, m.File), Options{Pattern: m.Pattern})
			if err != nil {
				t.Fatal(err)
			}
			var tok Tokenizer = loaded
			if m.Specials {
				tok = loaded.WithSpecials()
			}
			want := readIDs(t, filepath.Join(folder, m.Name+".ids"))
			compareIDs(t, tok, texts, want)
			compareTexts(t, tok, want, m.Decoded)
		})
	}
}

func compareIDs(t *testing.T, tok Tokenizer, texts []string, want [][]int32) {
	wrong := 0
	for i, text := range texts {
		got, err := tok.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // Count shares all its code with Encode
			if n, err := tok.Count(text); err != nil || n != len(got) {
				t.Fatalf("Count(%q) = %d, %v, want %d", text, n, err, len(got))
			}
		}
		if slices.Equal(got, want[i]) {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("Encode(%q)\n got %v\nwant %v", text, got, want[i])
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d texts are wrong", wrong, len(texts))
	}
}

// compareTexts leaves out rows whose text the reference could not spell: how
// many U+FFFD stand for broken bytes differs between languages.
func compareTexts(t *testing.T, tok Tokenizer, ids [][]int32, want []string) {
	wrong := 0
	for i, text := range want {
		got, err := tok.Decode(ids[i])
		if err != nil {
			t.Fatal(err)
		}
		if got == text || strings.Contains(text, "\uFFFD") {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("Decode(%v)\n got %q\nwant %q", ids[i], got, text)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d rows are decoded wrongly", wrong, len(want))
	}
}
