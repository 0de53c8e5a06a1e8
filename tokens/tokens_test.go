package tokens

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)

func made(t testing.TB, f *File, scope Scope) (string, Token) {
	t.Helper()
	secret, token, err := New("test", scope, start, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Add(token); err != nil {
		t.Fatal(err)
	}
	return secret, token
}

func TestAuthenticate(t *testing.T) {
	f := Open(filepath.Join(t.TempDir(), "tokens.json"))
	reader, _ := made(t, f, Read)
	admin, token := made(t, f, Admin)
	revoked, old := made(t, f, Admin)
	if err := f.Revoke(old.ID); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		header []string
		want   Scope
		at     time.Time
		err    error
	}{
		{"a reader reads", []string{"Bearer " + reader}, Read, start, nil},
		{"the kind of header in small letters", []string{"bearer " + reader}, Read, start, nil},
		{"an admin writes", []string{"Bearer " + admin}, Write, start, nil},
		{"a reader writes", []string{"Bearer " + reader}, Write, start, ErrScope},
		{"a reader administers", []string{"Bearer " + reader}, Admin, start, ErrScope},
		{"no header", nil, Read, start, ErrNone},
		{"two headers", []string{"Bearer " + reader, "Bearer " + admin}, Read, start, ErrNone},
		{"another kind", []string{"Basic " + reader}, Read, start, ErrNone},
		{"nothing behind it", []string{"Bearer "}, Read, start, ErrUnknown},
		{"only an id", []string{"Bearer assay_" + token.ID + "_"}, Read, start, ErrUnknown},
		{"the hash in place of the secret", []string{"Bearer " + token.Hash}, Read, start, ErrUnknown},
		{"an id with another secret", []string{"Bearer assay_" + token.ID + "_" + strings.Repeat("A", 43)}, Read, start, ErrUnknown},
		{"a letter too many", []string{"Bearer " + admin + "A"}, Read, start, ErrUnknown},
		{"a very long one", []string{"Bearer " + admin + strings.Repeat("A", 10_000)}, Read, start, ErrUnknown},
		{"a revoked one", []string{"Bearer " + revoked}, Read, start, ErrUnknown},
		{"the last moment", []string{"Bearer " + admin}, Read, start.Add(time.Hour - 1), nil},
		{"the first moment after", []string{"Bearer " + admin}, Read, start.Add(time.Hour), ErrExpired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest("GET", "/", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header["Authorization"] = tt.header
			if _, err := f.Authenticate(r, tt.want, tt.at); !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
		})
	}
}

// The file holds no secret, others cannot read it, and one that they can is refused.
func TestFileAtRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	f := Open(path)
	secret, token := made(t, f, Write)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if random := strings.TrimPrefix(secret, prefix+token.ID+"_"); strings.Contains(string(data), random) {
		t.Error("the file holds the secret")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path).Check(secret, start); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that all can read gave %v, want an error that says chmod 600", err)
	}
}

// What one process changes, another that had read the file before sees at once.
func TestChangesCountAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	server := Open(path)
	if _, err := server.Check("assay_x_y", start); !errors.Is(err, ErrUnknown) {
		t.Fatal(err)
	}
	secret, token := made(t, Open(path), Read)
	if _, err := server.Check(secret, start); err != nil {
		t.Errorf("a new token gave %v", err)
	}
	if _, err := server.Current(token.ID, start); err != nil {
		t.Errorf("its id gave %v", err)
	}
	if err := Open(path).Revoke(token.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Check(secret, start); !errors.Is(err, ErrUnknown) {
		t.Errorf("a revoked token gave %v", err)
	}
	if _, err := server.Current(token.ID, start); !errors.Is(err, ErrUnknown) {
		t.Errorf("the id of a revoked token gave %v", err)
	}
}

// Tokens that are made at the same time are all kept.
func TestAddTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { made(t, Open(path), Read) })
	}
	all.Wait()
	if list, err := Open(path).List(); err != nil || len(list) != 20 {
		t.Errorf("got %d tokens, %v, want 20", len(list), err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, call := range []func() error{
		func() error { _, _, err := New("x", "root", start, time.Hour); return err },
		func() error { _, _, err := New("", Read, start, time.Hour); return err },
		func() error { _, _, err := New(strings.Repeat("x", 101), Read, start, time.Hour); return err },
		func() error { _, _, err := New("x", Read, start, 0); return err },
	} {
		if call() == nil {
			t.Error("made a token that should be refused")
		}
	}
}

// FuzzCheck: nothing but the token itself is let in.
func FuzzCheck(f *testing.F) {
	file := Open(filepath.Join(f.TempDir(), "tokens.json"))
	secret, token := made(f, file, Read)
	f.Add(prefix + token.ID + "_")
	f.Add("assay__")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := file.Check(text, start); err == nil && text != secret {
			t.Errorf("%q was let in", text)
		}
	})
}
