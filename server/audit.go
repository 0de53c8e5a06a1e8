package server

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
)

// mostAudit is how large the audit log grows before it is put aside under another name.
const mostAudit = 64 << 20

// An audit is the file in which every change, and every refusal of one, is a line.
type audit struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// An auditLine says who did what, and what came of it. It holds no secret.
type auditLine struct {
	At     time.Time `json:"at"`
	Token  string    `json:"token,omitempty"` // id
	Name   string    `json:"name,omitempty"`  // of the token
	Client string    `json:"client"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"`
	Why    string    `json:"why,omitempty"`
}

func openAudit(path string) (*audit, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &audit{path: path, file: f, size: info.Size()}, nil
}

func (a *audit) write(l auditLine) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.size > mostAudit {
		next, err := a.turn()
		if err != nil {
			return err
		}
		a.file, a.size = next, 0
	}
	n, err := a.file.Write(append(data, '\n'))
	a.size += int64(n)
	return err
}

// turn puts a full log aside, under the time at which it was.
func (a *audit) turn() (*os.File, error) {
	if err := os.Rename(a.path, a.path+"."+time.Now().UTC().Format("20060102T150405.000000000")); err != nil {
		return nil, err
	}
	next, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return next, a.file.Close()
}

func (a *audit) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Close()
}
