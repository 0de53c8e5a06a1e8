// Package dataset reads files of prompts: what to ask when it is not made from
// a seed. A set is named by the digest of its bytes, so that two runs that say
// they asked the same did.
//
// It downloads nothing and counts no tokens. To add a format, write one file
// NAME.go with a Format, list it in All, and put a sample into testdata.
package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/intake"
	"assay/record"
)

// A Row is one thing to ask. Fields that a set does not have are empty.
type Row struct {
	Prompt       string           // what the user says last
	Messages     []record.Message // what was said before
	Answer       string           // the answer that the set gives
	OutputTokens int              // how long the answer should be
	Query        string           // what documents are ranked against
	Documents    []string         // what to embed or rank
	Image        *record.Image    // what to look at
	Sound        *record.Sound    // what to listen to
	InputTokens  int              // tokens of its texts, where somebody has counted them
	Line         int              // where the row begins, from 1; its number where a file has no lines
}

// Texts lists what the row says to a model, in the order it is sent.
func (r Row) Texts() []string {
	var list []string
	for _, m := range r.Messages {
		list = append(list, m.Content)
	}
	for _, text := range append([]string{r.Prompt, r.Query}, r.Documents...) {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// A Set is a data set as read.
type Set struct {
	Name    string // the file's name without its folder
	Format  string
	Digest  string // sha256:HEX of the file, or of a folder's names and files
	Rows    []Row
	Dropped int // rows that the format's own rules leave out
}

// Options says how to read a set. The zero value reads everything.
type Options struct {
	// Format names the format. Empty tells it by the file's extension.
	Format string

	// Fields names the columns of a table: the keys are Fields, the values
	// columns. A field that is not named has a column of its own name.
	Fields map[string]string

	// Shuffle puts the rows into an order drawn from Seed.
	Shuffle bool
	Seed    int64

	// Conversations keeps all turns of ShareGPT's conversations, not the first
	// exchange alone.
	Conversations bool

	// Limit keeps the first rows only, after shuffling. Zero means all.
	Limit int
}

// Fields lists the fields that a table may have.
var Fields = []string{"prompt", "answer", "outputTokens", "system", "messages", "query", "documents"}

// MaxRow is the longest row that is read. Longer ones are mistakes, such as a
// file of another format.
const MaxRow = 64 << 20

// A Format is one way of writing a set down.
type Format struct {
	Name       string
	Doc        string
	Extensions []string
	Folder     bool // a folder of files instead of a file

	media map[string]string // of a folder's files: what they are called on the wire, by extension

	// read passes every row to yield, which says errStop when it has enough. It
	// returns how many rows the format's rules left out.
	read func(in *input, yield func(Row) error) (dropped int, err error)
}

// All lists every format.
var All = []Format{
	textFormat,
	jsonlFormat,
	jsonFormat,
	shareGPTFormat,
	csvFormat,
	parquetFormat,
	imagesFormat,
	soundsFormat,
}

var errStop = errors.New("enough rows")

// An input is the opened file or folder of a set.
type input struct {
	path   string
	file   *os.File // nil for a folder
	size   int64
	fields map[string]string
	whole  bool // conversations are read to their end
}

// column is the column that holds a field, and whether the user named it.
func (in *input) column(field string) (name string, named bool) {
	if name, ok := in.fields[field]; ok {
		return name, true
	}
	return field, false
}

// Open reads the set at path.
func Open(path string, opts Options) (Set, error) {
	set, err := open(path, opts)
	if err != nil {
		return Set{}, fmt.Errorf("data set %s: %w", path, err)
	}
	return set, nil
}

func open(path string, opts Options) (Set, error) {
	for field := range opts.Fields {
		if !slices.Contains(Fields, field) {
			return Set{}, fmt.Errorf("field %q: want one of %s", field, strings.Join(Fields, ", "))
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return Set{}, err
	}
	format, err := find(path, opts.Format, info.IsDir())
	if err != nil {
		return Set{}, err
	}
	in := &input{path: path, size: info.Size(), fields: opts.Fields, whole: opts.Conversations}
	set := Set{Name: filepath.Base(path), Format: format.Name}
	if info.IsDir() {
		set.Digest, err = folderDigest(path)
	} else {
		if in.file, err = intake.Open(path); err != nil {
			return Set{}, err
		}
		defer in.file.Close()
		set.Digest, err = fileDigest(in.file)
	}
	if err != nil {
		return Set{}, err
	}
	set.Dropped, err = format.read(in, func(r Row) error {
		set.Rows = append(set.Rows, r)
		if !opts.Shuffle && opts.Limit > 0 && len(set.Rows) == opts.Limit {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return Set{}, err
	}
	if len(set.Rows) == 0 {
		return Set{}, fmt.Errorf("no row to ask: %d were left out", set.Dropped)
	}
	if opts.Shuffle {
		rng := rand.New(rand.NewPCG(uint64(opts.Seed), 0))
		rng.Shuffle(len(set.Rows), func(i, j int) { set.Rows[i], set.Rows[j] = set.Rows[j], set.Rows[i] })
	}
	if opts.Limit > 0 && len(set.Rows) > opts.Limit {
		set.Rows = slices.Clip(set.Rows[:opts.Limit])
	}
	return set, nil
}

func find(path, name string, folder bool) (Format, error) {
	var names []string
	for _, f := range All {
		byName := name == "" && (folder && f.Folder && f.holds(path) || slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(path))))
		if f.Name == name || byName {
			if f.Folder != folder {
				return Format{}, fmt.Errorf("format %s: want a %s", f.Name, map[bool]string{true: "folder", false: "file"}[f.Folder])
			}
			return f, nil
		}
		names = append(names, f.Name)
	}
	if name == "" && folder {
		return Format{}, errors.New("the folder holds no file that is known: want images or recordings")
	}
	if name == "" {
		return Format{}, fmt.Errorf("the extension %q tells no format: name one of %s", filepath.Ext(path), strings.Join(names, ", "))
	}
	return Format{}, fmt.Errorf("format %q: want one of %s", name, strings.Join(names, ", "))
}

func fileDigest(file *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// lines calls each with every line of r, without its end and, on the first, the
// mark that some editors put before text.
func lines(r io.Reader, each func(number int, line []byte) error) error {
	scanner := bufio.NewScanner(intake.Text("the file", r))
	scanner.Buffer(make([]byte, 0, 64<<10), MaxRow)
	number := 0
	for scanner.Scan() {
		number++
		line := scanner.Bytes()
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := each(number, line); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
