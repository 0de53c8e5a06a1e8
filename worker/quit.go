package worker

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"assay/intake"
)

// Quit asks every rank to end and waits for the last line of each.
func (c *Controller) Quit(ctx context.Context) error {
	for _, p := range c.peers {
		if p.conn == nil {
			return fmt.Errorf("quit: rank %d has not greeted", p.rank)
		}
		if err := c.send(p, Line{T: Quit}); err != nil && !errors.Is(err, net.ErrClosed) {
			return c.explain(ctx, err)
		}
	}
	limit, stop := context.WithTimeoutCause(ctx, c.o.Hang+deathWithin, errors.New("no last line"))
	defer stop()
	err := c.await(limit, "quit", func() bool {
		for _, p := range c.peers {
			if p.bye == nil {
				return false
			}
		}
		return true
	})
	if err == nil {
		c.compare()
	}
	return err
}

// compare holds the files of ranks that lie here against what the ranks said of
// them. A file that differs was damaged on its way; its records came over the
// connection, so that is told and no failure.
func (c *Controller) compare() {
	for _, p := range c.peers {
		file, err := intake.Open(filepath.Join(c.o.Dir, fileOf(p.rank)))
		if err != nil || p.bye.SHA256 == "" {
			continue // it lies on the rank's own host
		}
		sum, err := sumBeforeBye(file)
		file.Close()
		if err == nil && sum != p.bye.SHA256 {
			c.change(func() { p.differs = true })
		}
	}
}

// sumBeforeBye is the SHA-256 of all lines but the last, which tells it.
func sumBeforeBye(file io.Reader) (string, error) {
	reader, sum := bufio.NewReader(file), sha256.New()
	var last []byte
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			sum.Write(last)
			last = line
		}
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// RankFiles is the pattern of the files to which ranks write what they send.
const RankFiles = "rank-*.jsonl"

// fileOf is the name of the file to which a rank writes what it sends.
func fileOf(rank int) string { return fmt.Sprintf("rank-%05d.jsonl", rank) }
