package fidelity

import (
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed peers/vllm_request.py
var vllmRequest []byte

// VLLM is the request function of `vllm bench serve` in an event loop of its own,
// without that command around it. It asks for completions: in chats the function
// takes the role event for the first token.
var VLLM = Peer{
	Name: "vllm", Package: "vllm", Program: "bin/python", PerGap: true,
	Args: func(t PeerTrial) ([]string, error) {
		script := filepath.Join(t.Dir, "vllm_request.py")
		return []string{script, t.URL, strconv.Itoa(t.Streams), strconv.Itoa(t.Rounds), strconv.Itoa(t.Tokens),
			filepath.Join(t.Dir, "vllm.json")}, os.WriteFile(script, vllmRequest, 0o644)
	},
	Read: func(t PeerTrial) ([]Reported, error) {
		var list []Reported
		return list, readJSON(filepath.Join(t.Dir, "vllm.json"), &list)
	},
}
