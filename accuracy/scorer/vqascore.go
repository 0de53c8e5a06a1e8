package scorer

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"assay/accuracy/lexical"
	"assay/spec"
)

// vqaTemplate is the question of VQAScore's reference for general models.
const vqaTemplate = `Does this figure show "{{prediction}}"? Please answer Yes or No.`

// vqaAlternatives are the tokens whose probabilities are asked: the most that servers give.
const vqaAlternatives = 20

// The scores of a vqa.
const (
	scoreYes       = "yes"       // the probability of yes, in all its spellings
	scoreReference = "reference" // as the reference reads the list: the last spelling counts alone
)

// A vqa asks a model that sees images whether one shows what an answer says: its score is
// the probability of yes.
type vqa struct {
	chat     Chat
	template string
	names    []string
	width    int
}

var _ Scorer = vqa{}

func openVQA(s spec.Scorer, env Environment) (Scorer, error) {
	for _, name := range s.Scores {
		if name != scoreYes && name != scoreReference {
			return nil, fmt.Errorf("scorer %s: vqascore gives %s and %s, not %q", s.Name, scoreYes, scoreReference, name)
		}
	}
	chat, err := NewChat(s, env)
	if err != nil {
		return nil, err
	}
	return vqa{chat, templateOr(s.Template, vqaTemplate), s.Scores, s.Batch}, nil
}

// Score asks about every item by itself. A request that fails leaves its own item without
// a score; one that fails for every item of a batch ends the scorer.
func (v vqa) Score(ctx context.Context, batch []Item) ([]Result, error) {
	results := Each(ctx, len(batch), v.width, func(ctx context.Context, i int) Result { return v.one(ctx, batch[i]) })
	return results, allFailed(results)
}

func (v vqa) one(ctx context.Context, item Item) Result {
	image, err := imageURL(item.Image)
	if err != nil {
		return Result{Unscored: err.Error()}
	}
	said, err := v.chat.Ask(ctx, Question{Text: fill(v.template, item), Image: image, Tokens: 1, Logprobs: vqaAlternatives})
	if err != nil {
		return Result{Unscored: requestFailed + err.Error()}
	}
	yes, ok := lexical.YesProbability(said.Top)
	switch {
	case len(said.Top) == 0:
		return Result{Unscored: "the server gave no log-probabilities: want one that supports top_logprobs"}
	case !ok:
		return Result{Unscored: fmt.Sprintf("neither yes nor no is among the %d likeliest tokens", len(said.Top))}
	}
	out := Result{Scores: map[string]float64{}, Signature: Signature("vqascore", v.chat.Model, said.Model, v.template)}
	for _, name := range v.names {
		out.Scores[name] = yes
		if name == scoreReference {
			out.Scores[name] = lexical.VQAScore(said.Top)
		}
	}
	return out
}

func (v vqa) Close() error { return v.chat.Close() }

// requestFailed begins the reason of an item whose request failed.
const requestFailed = "the request failed: "

// allFailed is an error where every request of a batch failed: the endpoint is not there,
// and asking on would only take time.
func allFailed(results []Result) error {
	for _, r := range results {
		if !strings.HasPrefix(r.Unscored, requestFailed) {
			return nil
		}
	}
	return errors.New(results[0].Unscored)
}

// largestImage bounds what is sent of a file.
const largestImage = 32 << 20

// imageURL is an image as a request holds it: an address and a data: URL as they are, a
// file in base64.
func imageURL(image string) (string, error) {
	switch {
	case image == "":
		return "", errors.New("it has no image")
	case strings.HasPrefix(image, "data:"), strings.HasPrefix(image, "http://"), strings.HasPrefix(image, "https://"):
		return image, nil
	}
	info, err := os.Stat(image)
	switch {
	case err != nil:
		return "", fmt.Errorf("its image: %w", err)
	case !info.Mode().IsRegular() || info.Size() > largestImage:
		return "", fmt.Errorf("its image %s: want a file of at most %d MiB", image, largestImage>>20)
	}
	data, err := os.ReadFile(image)
	if err != nil {
		return "", fmt.Errorf("its image: %w", err)
	}
	return "data:" + http.DetectContentType(data) + ";base64," + base64.StdEncoding.EncodeToString(data), nil
}
