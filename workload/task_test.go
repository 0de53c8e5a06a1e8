package workload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/png"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/spec"
	"assay/workload/scenario"
)

func newTask(t *testing.T, seed int64, task, text string, opts TaskOptions) *Tasks {
	t.Helper()
	s, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	source, err := NewTask(seed, task, s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// Every task makes calls for each of its default scenarios, the same each time.
func TestTasks(t *testing.T) {
	for _, task := range scenario.AllTasks {
		text := scenario.Defaults(task)[0]
		a, b := newTask(t, 7, task, text, TaskOptions{}), newTask(t, 7, task, text, TaskOptions{})
		other := newTask(t, 8, task, text, TaskOptions{})
		for id := range int64(3) {
			if !reflect.DeepEqual(a.Call(2, id), b.Call(2, id)) {
				t.Errorf("%s: call %d differs between two sources of one seed", task, id)
			}
			if reflect.DeepEqual(a.Call(2, id), other.Call(2, id)) {
				t.Errorf("%s: another seed gives the same call", task)
			}
		}
	}
	if len(tasks) != len(scenario.AllTasks)+1 { // and speech-to-text, which has no scenario
		t.Errorf("%d tasks are made, %d are named", len(tasks), len(scenario.AllTasks)+1)
	}
}

// A spec can name every task, and no other.
func TestSpecNamesTasks(t *testing.T) {
	names := slices.Sorted(slices.Values(spec.Vocabularies["tasks"]))
	if got := slices.Sorted(maps.Keys(tasks)); !slices.Equal(got, names) {
		t.Errorf("the spec names %v, want %v", names, got)
	}
	guide, err := os.ReadFile("../docs/guides/workloads.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(guide), "| `"+name+"` |") || !strings.Contains(string(guide), "\nask "+name+" ") {
			t.Errorf("the guide has no row and no example of %s", name)
		}
	}
}

func TestTaskPayloads(t *testing.T) {
	embed := newTask(t, 1, spec.TextToEmbeddings, "E(64)", TaskOptions{Batch: 8}).Call(0, 0)
	if len(embed.Payload.Documents) != 8 || embed.InputTokens != 512 || len(strings.Fields(embed.Payload.Documents[7])) != 64 {
		t.Errorf("embeddings: %d documents, %d tokens", len(embed.Payload.Documents), embed.InputTokens)
	}
	rank := newTask(t, 1, spec.TextToRerank, "R(64,100)", TaskOptions{Batch: 4}).Call(0, 0)
	if len(rank.Payload.Documents) != 4 || len(strings.Fields(rank.Payload.Query)) != 100 || rank.InputTokens != 356 {
		t.Errorf("rerank: %d documents, query %q, %d tokens", len(rank.Payload.Documents), rank.Payload.Query, rank.InputTokens)
	}
	paint := newTask(t, 1, spec.TextToImage, "I(1024,1792,2)", TaskOptions{PromptTokens: 9}).Call(0, 0)
	if (paint.Payload.Paint != record.Paint{Width: 1024, Height: 1792, Images: 2}) || paint.InputTokens != 9 || paint.Payload.Images != nil {
		t.Errorf("text to image: %+v, %d tokens", paint.Payload, paint.InputTokens)
	}
	look := newTask(t, 1, spec.ImageTextToText, "I(40,30,2)", TaskOptions{OutputTokens: 5}).Call(0, 0)
	if len(look.Payload.Images) != 2 || look.InputTokens != 32 || look.OutputTokens != 5 {
		t.Errorf("image to text: %d images, %d in, %d out", len(look.Payload.Images), look.InputTokens, look.OutputTokens)
	}
	own := record.Image{MediaType: "image/jpeg", Data: []byte{1}}
	show := newTask(t, 1, spec.ImageToEmbeddings, "I(40,30)", TaskOptions{Images: []record.Image{own}}).Call(0, 0)
	if !reflect.DeepEqual(show.Payload.Images, []record.Image{own}) || show.Prompt != "" {
		t.Errorf("image to embeddings: %+v", show.Payload)
	}
	for _, text := range []string{"A(1)", "A(2)", "A(4)", "A(100)", "A(4000)"} {
		speech := newTask(t, 1, spec.TextToSpeech, text, TaskOptions{}).Call(0, 0)
		if got := fmt.Sprintf("A(%d)", len(speech.Prompt)); got != text || speech.Prompt != strings.TrimSpace(speech.Prompt) {
			t.Errorf("%s speaks %q", text, speech.Prompt)
		}
	}
}

func TestPicture(t *testing.T) {
	call := newTask(t, 1, spec.ImageToEmbeddings, "I(50,33)", TaskOptions{}).Call(0, 0)
	data := call.Payload.Images[0].Data
	picture, format, err := image.Decode(bytes.NewReader(data))
	if err != nil || format != "png" || picture.Bounds() != image.Rect(0, 0, 50, 33) {
		t.Fatalf("%s of %v, %v", format, picture.Bounds(), err)
	}
	h := sha256.New()
	colours := map[string]bool{}
	for y := range 33 {
		for x := range 50 {
			r, g, b, _ := picture.At(x, y).RGBA()
			pixel := fmt.Sprint(r>>8, g>>8, b>>8, ";")
			h.Write([]byte(pixel))
			colours[pixel] = true
		}
	}
	if len(colours) != 4*3 {
		t.Errorf("%d colours, want a square for each of 4 × 3", len(colours))
	}
	wantHash(t, "pixels", h.Sum(nil), "cdb3896dc249d1a1")
}

func TestSound(t *testing.T) {
	source, err := NewTask(1, spec.SpeechToText, scenario.Scenario{}, TaskOptions{Sound: 1500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	data := source.Call(0, 0).Payload.Sound.Data
	if len(data) != 44+2*24000 || string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" {
		t.Errorf("%d bytes that begin %q, want a WAV file of 24000 samples", len(data), data[:40])
	}
	if bytes.Equal(data, source.Call(0, 1).Payload.Sound.Data) || !bytes.Equal(data, source.Call(0, 0).Payload.Sound.Data) {
		t.Error("calls do not each have their own sound")
	}
	for _, length := range []time.Duration{0, time.Hour} {
		if _, err := NewTask(1, spec.SpeechToText, scenario.Scenario{}, TaskOptions{Sound: length}); err == nil {
			t.Errorf("recordings of %v were accepted", length)
		}
	}
}

func TestTaskRefusals(t *testing.T) {
	f := func(task, text string, opts TaskOptions, want string) {
		t.Helper()
		s, err := scenario.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewTask(1, task, s, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s with %s: %v, want %q", task, text, err, want)
		}
	}
	f("text-to-smell", "D(1,2)", TaskOptions{}, "text-to-speech, text-to-text")
	f(spec.SpeechToText, "A(10)", TaskOptions{Sound: time.Second}, "want the length of a recording")
	f(spec.TextToImage, "D(512,512)", TaskOptions{}, "want one such as I(512,512)")
	f(spec.TextToText, "I(512,512)", TaskOptions{}, "does not shape text-to-text")
	f(spec.TextToText, "dataset", TaskOptions{}, "does not shape")
	f(spec.TextToImage, "I(512,9000)", TaskOptions{}, "want at most 64 images of at most 8192 pixels")
	f(spec.TextToEmbeddings, "E(1)", TaskOptions{Batch: -1}, "want none below zero")
}

// The words of every task are frozen: a plan made today asks the same tomorrow.
// Whoever changes one of these hashes changes what published plans ask.
func TestGolden(t *testing.T) {
	golden := map[string]string{
		"text-to-text":        "751a9a38bc83232d",
		"text-to-embeddings":  "b4b791e76d7cee41",
		"text-to-rerank":      "d0fcf8599fd536a7",
		"image-text-to-text":  "42dd41fe43d38812",
		"image-to-embeddings": "172ca564e3c20a25",
		"text-to-image":       "b59bb954105c5151",
		"text-to-speech":      "1fc1058c11d68905",
		"mix":                 "d9337b44b2ffb726",
		"lognormal":           "d24abe60a1bc3bed",
		"normal":              "410eae1ab72a306d",
		"uniform":             "00bb534a2aabdfd5",
		"tree":                "261aeec9bef33d2a",
	}
	for _, task := range scenario.AllTasks {
		h := sha256.New()
		for id := range int64(5) {
			c := newTask(t, 42, task, scenario.Defaults(task)[0], TaskOptions{Batch: 2}).Call(0, id)
			fmt.Fprintln(h, c.Prompt, c.InputTokens, c.OutputTokens)
			if c.Payload != nil {
				fmt.Fprintln(h, c.Payload.Documents, c.Payload.Query, c.Payload.Paint)
			}
		}
		wantHash(t, task, h.Sum(nil), golden[task])
	}
	sources := map[string]Options{
		"mix":       {Lengths: mix},
		"lognormal": {Lengths: mix, Spread: Spread{LogNormal, 0.5}},
		"normal":    {Lengths: mix, Spread: Spread{Normal, 0.2}},
		"uniform":   {Lengths: mix, Spread: Spread{Uniform, 0.2}},
		"tree":      {Lengths: mix, Prefix: Prefix{Ratio: 0.5, Pool: 2, Levels: 2}},
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s, err := New(42, sources[name])
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for id := range int64(20) {
			fmt.Fprintln(h, s.Call(0, id).Prompt, s.Call(0, id).OutputTokens)
		}
		wantHash(t, name, h.Sum(nil), golden[name])
	}
}

func wantHash(t *testing.T, what string, sum []byte, want string) {
	t.Helper()
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("%q: %q, want %q", what, got, want)
	}
}
