package workload

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"assay/record"
	"assay/spec"
	"assay/workload/scenario"
)

// TaskOptions says what a scenario leaves open. The zero value is ready to use.
type TaskOptions struct {
	// Batch is how many documents a request embeds or ranks. Zero means 1.
	Batch int

	// PromptTokens is the length of the text beside an image, or of the wish for
	// one. Zero means 32.
	PromptTokens int

	// OutputTokens is the length of an answer about an image. Zero leaves the
	// end to the server.
	OutputTokens int

	// Voice is who speaks. Empty leaves it to the server.
	Voice string

	// Sound is how long a recording to transcribe lasts.
	Sound time.Duration

	// Images are used, each at random, instead of ones made from the seed.
	// They go out as they are: a scenario's size is not forced on them.
	Images []record.Image

	// Counter counts tokens. Nil counts words.
	Counter Counter
}

func (o TaskOptions) withDefaults() TaskOptions {
	if o.Batch == 0 {
		o.Batch = 1
	}
	if o.PromptTokens == 0 {
		o.PromptTokens = 32
	}
	return o
}

// A Tasks makes the calls of one task from a seed.
type Tasks struct {
	seed    uint64
	task    string
	shape   scenario.Scenario
	opts    TaskOptions
	builder *Builder
	fill    func(*Tasks, *rand.Rand, scenario.Shape, *record.Call)
}

var _ Source = (*Tasks)(nil)

// tasks lists how each task fills a call.
var tasks = map[string]func(*Tasks, *rand.Rand, scenario.Shape, *record.Call){
	spec.TextToText:        (*Tasks).say,
	spec.TextToEmbeddings:  (*Tasks).embed,
	spec.TextToRerank:      (*Tasks).rank,
	spec.ImageTextToText:   (*Tasks).look,
	spec.ImageToEmbeddings: (*Tasks).show,
	spec.TextToImage:       (*Tasks).paint,
	spec.TextToSpeech:      (*Tasks).speak,
	spec.SpeechToText:      (*Tasks).listen,
}

// NewTask returns a source of calls for task, shaped by s.
func NewTask(seed int64, task string, s scenario.Scenario, opts TaskOptions) (*Tasks, error) {
	if tasks[task] == nil {
		return nil, fmt.Errorf("task %q: want one of %s", task, strings.Join(slices.Sorted(maps.Keys(tasks)), ", "))
	}
	switch {
	case task == spec.SpeechToText && s.Kind != "":
		return nil, fmt.Errorf("scenario %s does not shape %s: want the length of a recording", s, task)
	case task == spec.SpeechToText && (opts.Sound <= 0 || opts.Sound > maxSound):
		return nil, fmt.Errorf("recordings of %v: want more than 0 and at most %v", opts.Sound, maxSound)
	case task == spec.SpeechToText: // has no scenario
	case s.Kind == scenario.Dataset || !slices.Contains(s.Tasks(), task):
		return nil, fmt.Errorf("scenario %q does not shape %s: want one such as %s", s, task, scenario.Defaults(task)[0])
	}
	if opts.Batch < 0 || opts.PromptTokens < 0 || opts.OutputTokens < 0 {
		return nil, fmt.Errorf("batch %d, prompt tokens %d, output tokens %d: want none below zero", opts.Batch, opts.PromptTokens, opts.OutputTokens)
	}
	if shape := s.Mean(); shape.Width > maxSide || shape.Height > maxSide || shape.Images > maxImages {
		return nil, fmt.Errorf("scenario %s: want at most %d images of at most %d pixels a side", s, maxImages, maxSide)
	}
	opts = opts.withDefaults()
	return &Tasks{seed: uint64(seed), task: task, shape: s, opts: opts, builder: NewBuilder(opts.Counter), fill: tasks[task]}, nil
}

// Call implements Source.
func (t *Tasks) Call(point int32, id int64) record.Call {
	rng := rand.New(rand.NewPCG(t.seed, uint64(id)))
	call := record.Call{ID: id, Point: point}
	if t.task != spec.TextToText {
		call.Payload = &record.Payload{Task: t.task}
	}
	t.fill(t, rng, t.shape.Draw(rng), &call)
	return call
}

func (t *Tasks) say(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	t.prompt(rng, shape.Input, call)
	call.OutputTokens = int32(shape.Output)
}

func (t *Tasks) prompt(rng *rand.Rand, tokens int, call *record.Call) {
	text, count := t.builder.Text(rng, tokens)
	call.Prompt = text
	call.InputTokens += int32(count)
}

func (t *Tasks) embed(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	for range t.opts.Batch {
		text, count := t.builder.Text(rng, shape.Document)
		call.Payload.Documents = append(call.Payload.Documents, text)
		call.InputTokens += int32(count)
	}
}

func (t *Tasks) rank(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	t.prompt(rng, shape.Query, call)
	call.Payload.Query = call.Prompt
	t.embed(rng, shape, call)
}

func (t *Tasks) look(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	t.prompt(rng, t.opts.PromptTokens, call)
	call.OutputTokens = int32(t.opts.OutputTokens)
	t.show(rng, shape, call)
}

func (t *Tasks) show(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	for range shape.Images {
		if len(t.opts.Images) > 0 {
			call.Payload.Images = append(call.Payload.Images, t.opts.Images[rng.IntN(len(t.opts.Images))])
			continue
		}
		call.Payload.Images = append(call.Payload.Images, Picture(rng, shape.Width, shape.Height))
	}
}

func (t *Tasks) paint(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	t.prompt(rng, t.opts.PromptTokens, call)
	call.Payload.Paint = record.Paint{Width: int32(shape.Width), Height: int32(shape.Height), Images: int32(shape.Images)}
}

// speak makes a text of exactly the asked number of characters; a word cut off
// at the end is spoken as it stands.
func (t *Tasks) speak(rng *rand.Rand, shape scenario.Shape, call *record.Call) {
	var b strings.Builder
	for b.Len() < shape.Characters {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[rng.IntN(len(words))])
	}
	call.Payload.Voice = t.opts.Voice
	call.Prompt = b.String()[:shape.Characters] // the words are ASCII
	if strings.HasSuffix(call.Prompt, " ") {
		call.Prompt = call.Prompt[:shape.Characters-1] + "."
	}
	call.InputTokens = int32(t.builder.Count(call.Prompt))
}

func (t *Tasks) listen(rng *rand.Rand, _ scenario.Shape, call *record.Call) {
	sound := Sound(rng, t.opts.Sound)
	call.Payload.Sound = &sound
}
