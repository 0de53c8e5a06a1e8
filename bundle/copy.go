package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Copy puts a copy of the sealed bundle in dir where nothing is yet, and verifies it
// there. Its files are written once and cannot be written again. A copy that fails
// leaves nothing behind.
func Copy(ctx context.Context, dir, to string) error {
	to = filepath.Clean(to)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s is there already: artifacts are written once", to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part) // nothing is left of it where it got its name
	if err := copyTree(ctx, dir, part); err != nil {
		return err
	}
	seal, err := VerifyFor(part, Trust{})
	if err != nil {
		return err
	}
	if !seal.Verified {
		return fmt.Errorf("the copy in %s does not verify: %w", to, &SealError{seal})
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return err
	}
	return errors.Join(os.Rename(part, to), syncDir(filepath.Dir(to)))
}

func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case entry.IsDir() && path == from:
			return nil
		case entry.IsDir():
			return os.Mkdir(target, 0o755)
		case entry.Type().IsRegular():
			return copyFile(path, target)
		default:
			return fmt.Errorf("%s is no plain file", path) // a sealed bundle has none
		}
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return copyError(to, err)
	}
	_, err = io.Copy(out, in)
	return copyError(to, errors.Join(err, out.Sync(), out.Close()))
}
