package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/record"
	"assay/spec"

	"github.com/parquet-go/parquet-go"
)

type parquetRow struct {
	ID           int64    `parquet:"id"`
	Prompt       string   `parquet:"prompt"`
	Answer       *string  `parquet:"answer,optional"`
	OutputTokens int32    `parquet:"outputTokens"`
	Documents    []string `parquet:"documents,list"`
}

// sample is the path of a small set in the given format.
func sample(t *testing.T, format string) string {
	t.Helper()
	dir := t.TempDir()
	switch format {
	case "parquet":
		answer := "Short waves scatter more."
		path := filepath.Join(dir, "sample.parquet")
		err := parquet.WriteFile(path, []parquetRow{
			{1, "Why is the sky blue?", &answer, 12, []string{"a", "b"}},
			{2, "Name three rivers.", nil, 0, nil},
			{3, "Count to ten.", nil, 4, []string{"c"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return path
	case "images":
		write(t, filepath.Join(dir, "b.png"), "second")
		write(t, filepath.Join(dir, "a.JPG"), "first")
		write(t, filepath.Join(dir, "notes.txt"), "not an image")
		write(t, filepath.Join(dir, "c.webp"), "third")
		return dir
	case "sounds":
		write(t, filepath.Join(dir, "b.wav"), "second")
		write(t, filepath.Join(dir, "a.MP3"), "first")
		write(t, filepath.Join(dir, "c.flac"), "third")
		return dir
	}
	matches, err := filepath.Glob("testdata/" + format + ".*")
	if err != nil || len(matches) != 1 {
		t.Fatalf("format %s: want one sample testdata/%s.*, got %v, %v", format, format, matches, err)
	}
	return matches[0]
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every format reads its sample of three rows, by name and by what it looks
// like, in the order of the file or in one drawn from the seed.
func TestFormats(t *testing.T) {
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			path := sample(t, f.Name)
			set, err := Open(path, Options{Format: f.Name})
			if err != nil {
				t.Fatal(err)
			}
			if len(set.Rows) != 3 || set.Format != f.Name || !strings.HasPrefix(set.Digest, "sha256:") || len(set.Digest) != 71 {
				t.Errorf("set %+v", set)
			}
			again, err := Open(path, Options{Format: f.Name, Shuffle: true, Seed: 5})
			if err != nil || again.Digest != set.Digest {
				t.Errorf("digest %s, then %s, %v", set.Digest, again.Digest, err)
			}
			same, err := Open(path, Options{Format: f.Name, Shuffle: true, Seed: 5, Limit: 2})
			if err != nil || !reflect.DeepEqual(same.Rows, again.Rows[:2]) {
				t.Errorf("shuffled %v, then %v, %v", again.Rows, same.Rows, err)
			}
			first, err := Open(path, Options{Format: f.Name, Limit: 1})
			if err != nil || !reflect.DeepEqual(first.Rows, set.Rows[:1]) {
				t.Errorf("first row %v, want %v, %v", first.Rows, set.Rows[:1], err)
			}
			if len(f.Extensions) == 0 && !f.Folder {
				return
			}
			if guessed, err := Open(path, Options{}); err != nil || guessed.Format != f.Name {
				t.Errorf("taken for %q, %v", guessed.Format, err)
			}
		})
	}
}

func TestRows(t *testing.T) {
	read := func(format string) Set {
		t.Helper()
		set, err := Open(sample(t, format), Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	f := func(format string, want ...Row) {
		t.Helper()
		if got := read(format).Rows; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", format, got, want)
		}
	}
	brief := []record.Message{{Role: "system", Content: "Be brief."}}
	f("text", Row{Prompt: "Why is the sky blue?", Line: 1}, Row{Prompt: "Name three rivers.", Line: 3}, Row{Prompt: "Count to ten.", Line: 4})
	f("jsonl",
		Row{Prompt: "Why is the sky blue?", Answer: "Short waves scatter more.", OutputTokens: 12, Line: 1},
		Row{Prompt: "Name three rivers.", Line: 2},
		Row{Prompt: "Count to ten.", Answer: "1 2 3", Line: 4, Messages: []record.Message{
			{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hello."}, {Role: "assistant", Content: "Hi."}}})
	f("json", Row{Prompt: "Why is the sky blue?", Line: 1}, Row{Prompt: "Name three rivers.", Messages: brief, Line: 2}, Row{Prompt: "Count to ten.", Answer: "1 2 3", Line: 3})
	f("sharegpt",
		Row{Prompt: "Why is the sky blue?", Answer: "Short waves scatter more.", Line: 1},
		Row{Prompt: "Name three rivers.", Answer: "Rhine, Elbe, Oder", Messages: brief, Line: 5},
		Row{Prompt: "Count to ten.", Answer: "1 2 3", Line: 6})
	f("csv",
		Row{Prompt: "Why is the sky blue?", Answer: "Short waves scatter more.", OutputTokens: 12, Line: 2},
		Row{Prompt: "Name three\nrivers.", Line: 3}, Row{Prompt: "Count to ten.", Answer: "1 2 3", OutputTokens: 4, Line: 5})
	f("parquet",
		Row{Prompt: "Why is the sky blue?", Answer: "Short waves scatter more.", OutputTokens: 12, Documents: []string{"a", "b"}, Line: 1},
		Row{Prompt: "Name three rivers.", Line: 2}, Row{Prompt: "Count to ten.", OutputTokens: 4, Documents: []string{"c"}, Line: 3})
	f("images",
		Row{Image: &record.Image{MediaType: "image/jpeg", Data: []byte("first")}, Line: 1},
		Row{Image: &record.Image{MediaType: "image/png", Data: []byte("second")}, Line: 2},
		Row{Image: &record.Image{MediaType: "image/webp", Data: []byte("third")}, Line: 3})
	f("sounds",
		Row{Sound: &record.Sound{MediaType: "audio/mpeg", Data: []byte("first")}, Line: 1},
		Row{Sound: &record.Sound{MediaType: "audio/wav", Data: []byte("second")}, Line: 2},
		Row{Sound: &record.Sound{MediaType: "audio/flac", Data: []byte("third")}, Line: 3})
	for format, want := range map[string]int{"text": 1, "jsonl": 1, "sharegpt": 3, "csv": 0, "images": 1} {
		if got := read(format).Dropped; got != want {
			t.Errorf("%s left out %d rows, want %d", format, got, want)
		}
	}
}

// A spec can name every format, and no other.
func TestSpecNamesFormats(t *testing.T) {
	var names []string
	for _, f := range All {
		names = append(names, f.Name)
	}
	if got := spec.Vocabularies["datasetFormats"]; !slices.Equal(got, names) {
		t.Errorf("the spec names %v, want %v", got, names)
	}
}

// The digest is that of sha256sum.
func TestDigest(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.txt"), "abc")
	set, err := Open(path, Options{})
	if want := "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; err != nil || set.Digest != want {
		t.Errorf("digest %s, %v; want %s", set.Digest, err, want)
	}
	folder := sample(t, "images")
	before, err := Open(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "c.webp"), filepath.Join(folder, "d.webp")); err != nil {
		t.Fatal(err)
	}
	if after, err := Open(folder, Options{}); err != nil || after.Digest == before.Digest {
		t.Errorf("a renamed file keeps the digest, %v", err)
	}
}

func TestFields(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.csv"), "\ufeffquestion,reply,len\nwhy?,so,3\n")
	fields := map[string]string{"prompt": "question", "answer": "reply", "outputTokens": "len"}
	set, err := Open(path, Options{Fields: fields})
	want := []Row{{Prompt: "why?", Answer: "so", OutputTokens: 3, Line: 2}}
	if err != nil || !reflect.DeepEqual(set.Rows, want) {
		t.Errorf("got %+v, %v; want %+v", set.Rows, err, want)
	}
}

func TestFaults(t *testing.T) {
	f := func(name, text string, opts Options, want string) {
		t.Helper()
		path := write(t, filepath.Join(t.TempDir(), name), text)
		if set, err := Open(path, opts); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %+v, %v; want %q", name, set.Rows, err, want)
		}
	}
	f("a.dat", "x", Options{}, `the extension ".dat" tells no format: name one of text, jsonl`)
	f("a.txt", "x", Options{Format: "xml"}, `format "xml": want one of text`)
	f("a.txt", "x", Options{Format: "images"}, "format images: want a folder")
	f("a.txt", "x", Options{Fields: map[string]string{"promt": "x"}}, `field "promt": want one of prompt`)
	f("a.txt", "\n\n", Options{}, "no row to ask: 2 were left out")
	f("a.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":}\n", Options{}, "line 2: ")
	f("a.jsonl", "{\"prompt\":\"a\"}\n\n{\"text\":\"a\",\"id\":1}\n", Options{}, "line 3: no prompt: name its column, which is one of id, text")
	f("a.jsonl", "{\"prompt\":7}\n", Options{}, `line 1: column "prompt": got float64, want text`)
	f("a.jsonl", "{\"prompt\":\"a\",\"outputTokens\":1.5}\n", Options{}, "got 1.5, want a whole number of tokens")
	f("a.jsonl", "{\"prompt\":\"a\"}\n", Options{Fields: map[string]string{"answer": "reply"}}, `line 1: no column "reply" for answer: it has prompt`)
	f("a.jsonl", "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}]}\n", Options{}, "no turn of the user")
	f("a.jsonl", "{\"messages\":[{\"role\":\"judge\",\"content\":\"a\"}]}\n", Options{}, `turn 0: speaker "judge" is not known`)
	f("a.jsonl", "7\n", Options{}, "line 1: got float64, want an object")
	f("a.json", "{}", Options{}, "line 1: want a JSON list")
	f("a.json", "[\n\"a\",\n7]", Options{}, "row 2, near line 3: got float64")
	f("a.json", "[\"a\"", Options{}, "the list does not end")
	f("a.json", "[\n\"a\",\n{]", Options{}, "row 2, near line ")
	f("a.json", "[\"a\"]", Options{Format: "sharegpt"}, "row 1, near line 1: got string, want an object")
	f("a.json", "[{\"conversations\":[{\"from\":1}]}]", Options{}, "turn 0: want texts from and value")
	f("a.csv", "", Options{}, "line 1: want column names")
	f("a.csv", "prompt,x\na,b\nc\n", Options{}, "line 3: wrong number of fields")
	f("a.csv", "x,y\na,b\n", Options{}, "line 2: no prompt: name its column, which is one of x, y")
	f("a.csv", "prompt,outputTokens\na,many\n", Options{}, "want a whole number of tokens")
	f("a.parquet", "not parquet at all", Options{}, "parquet")
	if _, err := Open(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "holds no file that is known") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Open(t.TempDir(), Options{Format: "csv"}); err == nil || !strings.Contains(err.Error(), "want a file") {
		t.Errorf("a folder as csv: %v", err)
	}
	if _, err := Open("testdata/none.txt", Options{}); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// Whatever is in a file, it is read or refused.
func FuzzOpen(f *testing.F) {
	f.Add("{\"prompt\":\"a\"}", uint8(1))
	f.Add("[{\"conversations\":[{\"from\":\"human\",\"value\":\"a\"},{\"from\":\"gpt\",\"value\":\"b\"}]}]", uint8(2))
	f.Add("prompt\na\n", uint8(4))
	f.Add("PAR1", uint8(5))
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		format := All[int(which)%len(All)]
		if format.Folder {
			return
		}
		path := write(t, filepath.Join(t.TempDir(), "a"), text)
		set, err := Open(path, Options{Format: format.Name})
		if err != nil {
			return
		}
		for i, row := range set.Rows {
			if row.Line < 1 || fmt.Sprint(row.Prompt, row.Query, row.Documents) == "[]" {
				t.Errorf("row %d: %+v", i, row)
			}
		}
	})
}

// Where conversations are wanted, ShareGPT's are read to their end; those in
// which nobody asks are left out.
func TestConversations(t *testing.T) {
	set, err := Open("testdata/sharegpt.json", Options{Format: "sharegpt", Conversations: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Rows) != 5 || set.Dropped != 1 {
		t.Errorf("%d rows, %d dropped; want 5 and the empty one", len(set.Rows), set.Dropped)
	}
	first, system := set.Rows[0], set.Rows[3]
	if first.Prompt != "Why?" || first.Answer != "" || len(first.Messages) != 2 || first.Messages[1].Content != "Short waves scatter more." {
		t.Errorf("the first conversation is %+v", first)
	}
	if system.Prompt != "Name three rivers." || system.Answer != "Rhine, Elbe, Oder" || len(system.Messages) != 1 || system.Messages[0].Role != "system" {
		t.Errorf("the one with a system text is %+v", system)
	}
}
