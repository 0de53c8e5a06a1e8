package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/intake"
	"assay/spec"
	"assay/target"
	"assay/workload"
	"assay/workload/token"
)

// counted are the tasks whose requests are as long as a tokenizer counts.
var counted = []string{spec.TextToText, spec.TextToEmbeddings, spec.TextToRerank, spec.ImageTextToText}

// tokenizer finds what counts tokens: the file that is named, the one of the hub
// id in the cache of Hugging Face's tools, the server's own, or else assay's.
// Nothing is downloaded, and whatever it is, the report names it.
func (m *maker) tokenizer(ctx context.Context) {
	name, t := m.v.text("model-tokenizer"), &m.run.Spec.Workload.Tokenizer
	if !slices.Contains(counted, m.run.Spec.Workload.Prompt.Task) {
		if name != "" {
			m.note("--model-tokenizer does nothing for %s: its requests have no length in tokens", m.run.Spec.Workload.Prompt.Task)
		}
		return
	}
	if _, err := os.Stat(name); name != "" && err == nil {
		model, err := token.Load(name, token.Options{})
		if err != nil {
			m.fail("--model-tokenizer: %w", err)
			return
		}
		*t = spec.Tokenizer{Kind: spec.TokenizerFile, Path: name, Digest: model.Digest()}
		return
	}
	missing := "no tokenizer was named"
	if name != "" {
		err := m.fromCache(name)
		if err == nil {
			return
		}
		missing = err.Error()
	}
	err := m.ask(ctx)
	if err == nil {
		t.Kind = spec.TokenizerServer
		m.chose("tokens counted by the server (/tokenize); %s", missing)
		return
	}
	m.chose("tokens counted by assay's own tokenizer, so prompts will not be exactly as long for the model: %s, and %s (--model-tokenizer FILE is exact)", missing, err)
}

// fromCache takes the tokenizer of a hub id from the cache.
func (m *maker) fromCache(id string) error {
	path, ok := m.cached(id)
	if !ok {
		return fmt.Errorf("tokenizer %s is neither a file here nor in Hugging Face's cache", id)
	}
	model, err := token.Load(path, token.Options{})
	if err != nil {
		return fmt.Errorf("tokenizer %s in Hugging Face's cache cannot be read (%w)", id, err)
	}
	m.run.Spec.Workload.Tokenizer = spec.Tokenizer{Kind: spec.TokenizerFile, Path: path, Digest: model.Digest()}
	m.chose("tokenizer %s from Hugging Face's cache: %s", id, path)
	return nil
}

// cached is where the tools of Hugging Face keep the files of a model.
func (m *maker) cached(id string) (string, bool) {
	if strings.Count(id, "/") > 1 || filepath.IsAbs(id) {
		return "", false
	}
	hub := m.variable("HF_HUB_CACHE")
	if hub == "" {
		home := or(m.variable("HF_HOME"), filepath.Join(or(m.variable("XDG_CACHE_HOME"), filepath.Join(m.variable("HOME"), ".cache")), "huggingface"))
		hub = filepath.Join(home, "hub")
	}
	model := filepath.Join(hub, "models--"+strings.ReplaceAll(id, "/", "--"))
	revision, err := intake.ReadFile(filepath.Join(model, "refs", "main"), 1<<10)
	if err != nil {
		return "", false
	}
	folder := filepath.Join(model, "snapshots", strings.TrimSpace(string(revision)))
	for _, file := range []string{"tokenizer.json", "tokenizer.model"} {
		if _, err := os.Stat(filepath.Join(folder, file)); err == nil {
			return filepath.Join(folder, file), true
		}
	}
	return "", false
}

// askTimeout bounds the question to a server; one that counts tokens does so at
// once.
const askTimeout = 5 * time.Second

// ask is nil when the server counts tokens in a way that prompts can be made by.
func (m *maker) ask(ctx context.Context) error {
	if m.cloud() {
		return fmt.Errorf("backend %s has none", m.backend.Name)
	}
	t := m.run.Spec.Target
	base, err := target.Below(t.URL, "")
	if err != nil {
		return err
	}
	server := &token.Server{URL: base.String(), Model: or(t.Model, m.run.Spec.Workload.Model), HTTP: m.asker(ctx)}
	if n, err := server.Count("How long is this?"); err != nil || n == 0 {
		return errors.New("the server has no /tokenize that assay knows")
	}
	counter := token.NewCounter(server)
	if _, err := workload.Learn(counter); err != nil || counter.Err() != nil {
		return errors.New("no prompts can be made to measure with the server's /tokenize")
	}
	return nil
}

// A tripper is an http.RoundTripper.
type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
