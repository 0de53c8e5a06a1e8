package token

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

const letters = "abcdefghijklmnopqrstuvwxyzI.,!1"

// wordPieceFile is a WordPiece model with letters and two words.
var wordPieceFile = func() string {
	vocab := map[string]int{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "the": 3, "##ing": 4}
	for _, r := range letters {
		vocab[string(r)] = len(vocab)
		vocab["##"+string(r)] = len(vocab)
	}
	text, err := json.Marshal(vocab)
	if err != nil {
		panic(err)
	}
	return `{"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":false},
"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
{"SpecialToken":{"id":"[SEP]","type_id":0}}],"pair":[],"special_tokens":{"[CLS]":{"id":"[CLS]","ids":[1],"tokens":["[CLS]"]},
"[SEP]":{"id":"[SEP]","ids":[2],"tokens":["[SEP]"]}}},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":` + string(text) + `}}`
}()

var unigramFile = func() string {
	vocab := [][]any{{"<unk>", 0}, {"▁", -2}, {"▁the", -3}, {"▁of", -3.5}, {"th", -4}}
	for i, r := range letters {
		vocab = append(vocab, []any{string(r), -6 - float64(i)/100})
	}
	text, err := json.Marshal(vocab)
	if err != nil {
		panic(err)
	}
	return `{"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true},
"decoder":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true},
"model":{"type":"Unigram","unk_id":0,"byte_fallback":false,"vocab":` + string(text) + `}}`
}()

// tiktokenFile is the default vocabulary in the other format.
func tiktokenFile() string {
	var b strings.Builder
	for id, raw := range Default().tokens {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(raw)), id)
	}
	return b.String()
}

// sentencePieceFile is a model of the given kind with letters and two words.
func sentencePieceFile(kind uint64) string {
	var file []byte
	add := func(text string, score float32, kind uint64) {
		var p []byte
		p = protowire.AppendTag(p, 1, protowire.BytesType)
		p = protowire.AppendString(p, text)
		p = protowire.AppendTag(p, 2, protowire.Fixed32Type)
		p = protowire.AppendFixed32(p, math.Float32bits(score))
		p = protowire.AppendTag(p, 3, protowire.VarintType)
		p = protowire.AppendVarint(p, kind)
		file = protowire.AppendTag(file, 1, protowire.BytesType)
		file = protowire.AppendBytes(file, p)
	}
	add("<unk>", 0, pieceUnknown)
	add("▁t", -1, pieceNormal)
	add("he", -2, pieceNormal)
	add("▁the", -3, pieceNormal)
	add("▁", -4, pieceNormal)
	for i, r := range letters {
		add(string(r), -5-float32(i), pieceNormal)
	}
	trainer := protowire.AppendTag(nil, 3, protowire.VarintType)
	trainer = protowire.AppendVarint(trainer, kind)
	file = protowire.AppendTag(file, 2, protowire.BytesType)
	return string(protowire.AppendBytes(file, trainer))
}

// everyKind is a tokenizer of each kind, made without Python.
func everyKind(t testing.TB) map[string]Tokenizer {
	t.Helper()
	kinds := map[string]Tokenizer{"default": Default()}
	for name, file := range map[string]string{
		"tiktoken":  tiktokenFile(),
		"wordpiece": wordPieceFile,
		"unigram":   unigramFile,
		"sp-bpe":    sentencePieceFile(2),
		"sp":        sentencePieceFile(1),
	} {
		m, err := Parse([]byte(file), Options{Name: name, Pattern: "llama3"})
		if err != nil {
			t.Fatal(err)
		}
		kinds[name] = m
	}
	kinds["server"] = serve(t, Default())
	return kinds
}

// serve offers m as vLLM would.
func serve(t testing.TB, m *Model) *Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Model, Prompt string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if q.Model != "m" {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		ids, err := m.Encode(q.Prompt)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"count": len(ids), "tokens": ids, "max_model_len": 4096})
	})
	mux.HandleFunc("POST /detokenize", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Tokens []int32 }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, err := m.Decode(q.Tokens)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"prompt": text})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &Server{HTTP: server.Client(), URL: server.URL + "/", Model: "m"}
}
