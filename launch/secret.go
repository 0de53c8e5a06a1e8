package launch

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"assay/door"
)

// The variables that hold a job's secret, or name the file that does.
const (
	envSecret     = "ASSAY_TOKEN"
	envSecretFile = "ASSAY_TOKEN_FILE"
)

// A secretSource is where the ranks of a job have their secret from.
type secretSource struct {
	text string // the secret itself; empty where it is in the file
	path string
	own  bool // the leader makes the file, and removes it
}

// sourceOf finds the secret of a job. What launchers say of a job is no secret: other
// users of the host can read or guess it. Where all ranks are on one host, they share
// a file that only their user can read; beyond it, somebody has to say the secret.
func sourceOf(e Environment, env func(string) string, job string) (secretSource, error) {
	switch text, path := env(envSecret), env(envSecretFile); {
	case text != "":
		if err := door.CheckSecret(text); err != nil {
			return secretSource{}, fmt.Errorf("%s is %w", envSecret, err)
		}
		return secretSource{text: text}, nil
	case path != "":
		return secretSource{path: path}, nil
	case e.Nodes > 1:
		return secretSource{}, fmt.Errorf("the ranks are on %d hosts and share no secret, by which they would know each other: set %s, the same for every rank "+
			"(export %s=$(openssl rand -hex 32) before the launcher starts them), or %s=FILE, readable by you alone", e.Nodes, envSecret, envSecret, envSecretFile)
	}
	dir, err := privateFolder(env)
	if err != nil {
		return secretSource{}, fmt.Errorf("keep the job's secret: %w: set %s, the same for every rank", err, envSecret)
	}
	sum := sha256.Sum256([]byte(job))
	return secretSource{path: filepath.Join(dir, "job-"+hex.EncodeToString(sum[:8])+".secret"), own: true}, nil
}

// LeaderSecret is the secret of a job for its rank 0, which makes it where nobody has
// said one. Forget removes what was made, once everybody has come.
func LeaderSecret(e Environment, env func(string) string, job string) (secret func() (string, error), forget func() error, err error) {
	source, err := sourceOf(e, env, job)
	if err != nil {
		return nil, nil, err
	}
	if !source.own {
		return source.read, func() error { return nil }, nil
	}
	if err := source.write(rand.Text() + rand.Text()); err != nil {
		return nil, nil, fmt.Errorf("keep the job's secret: %w", err)
	}
	return source.read, func() error { return os.Remove(source.path) }, nil
}

// FollowerSecret is the secret of a job for the other ranks. Until rank 0 has made it,
// reading it fails.
func FollowerSecret(e Environment, env func(string) string, job string) (secret func() (string, error), err error) {
	source, err := sourceOf(e, env, job)
	return source.read, err
}

// privateFolder is a folder that only this user can look into, the same for every
// process of theirs on this host.
func privateFolder(env func(string) string) (string, error) {
	base := env("XDG_RUNTIME_DIR")
	if info, err := os.Stat(base); base == "" || err != nil || !info.IsDir() {
		base = env("XDG_CACHE_HOME")
	}
	if base == "" {
		home := env("HOME")
		if home == "" {
			return "", errors.New("neither XDG_RUNTIME_DIR nor HOME is set")
		}
		base = filepath.Join(home, ".cache")
	}
	dir := filepath.Join(base, "assay", "jobs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if err := private(info); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s: want a folder of yours that nobody else can open: %w", dir, err)
	}
	return dir, nil
}

// private refuses what another user owns or can open.
func private(info os.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("this system does not say who owns it")
	case int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("user %d owns it, and this process is of user %d", stat.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("its mode is %#o, and others can open it: chmod go= it", info.Mode().Perm())
	}
	return nil
}

// write puts a new secret in the place of one that a job that was killed may have
// left. Whoever reads finds the old one or the new one, never a part.
func (s secretSource) write(secret string) error {
	file, err := os.CreateTemp(filepath.Dir(s.path), ".secret-") // for this user alone, and made, never opened
	if err != nil {
		return err
	}
	_, err = file.WriteString(secret)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// mostSecret bounds what is read of a file that is said to hold a secret.
const mostSecret = 4 << 10

// read returns the secret. A file counts only when nobody but this user could have
// written or read it; it is looked at by its open handle, so that it cannot be another
// a moment later.
func (s secretSource) read() (string, error) {
	if s.text != "" {
		return s.text, nil
	}
	file, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("the job's secret: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("the job's secret: %s is no plain file", s.path)
	}
	if err := private(info); err != nil {
		return "", fmt.Errorf("the job's secret: %s: %w", s.path, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, mostSecret))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(data))
	if err := door.CheckSecret(secret); err != nil {
		return "", fmt.Errorf("the job's secret: %s holds %w", s.path, err)
	}
	return secret, nil
}
