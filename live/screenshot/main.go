// Command screenshot takes a picture of the live view: it runs assay demo in a real
// terminal, captures the screen with its colours and writes it as text and as SVG.
// make screenshots-live calls it; nothing else does.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	program := flag.String("assay", "bin/assay", "the program")
	out := flag.String("out", "docs/img", "folder to write live.txt and live.svg into")
	wait := flag.Duration("after", 17*time.Second, "how long the last point has run when the picture is taken")
	flag.Parse()
	if err := take(*program, *out, *wait); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

const columns, rows = 100, 30

// take runs the demo and writes what its screen looks like in the midst of it.
func take(program, out string, wait time.Duration) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "assay-screenshot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tmux := func(args ...string) ([]byte, error) {
		out, err := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "tmux")}, args...)...).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("tmux %v: %w: %s", args, err, out)
		}
		return out, nil
	}
	line := fmt.Sprintf("CI= LC_ALL=C.UTF-8 %s demo --duration 20s -o %s", program, dir)
	if _, err := tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), line); err != nil {
		return err
	}
	defer func() { _, _ = tmux("kill-server") }() // it ends with its command as well
	if err := until(tmux, "concurrency=16"); err != nil {
		return err
	}
	time.Sleep(wait)
	coloured, err := tmux("capture-pane", "-p", "-e")
	if err != nil {
		return err
	}
	plain, err := tmux("capture-pane", "-p")
	if err != nil {
		return err
	}
	for range 2 { // so that the simulator ends too
		if _, err := tmux("send-keys", "q"); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
	}
	_ = until(tmux, "no screen says this") // the terminal closes when the demo has ended
	if err := os.WriteFile(filepath.Join(out, "live.txt"), trimmed(plain), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "live.svg"), picture(string(coloured)), 0o644)
}

// until waits until the screen shows text; an error means that it is gone.
func until(tmux func(...string) ([]byte, error), text string) error {
	for range 1200 {
		shown, err := tmux("capture-pane", "-p")
		if err != nil || bytes.Contains(shown, []byte(text)) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the screen never showed %q", text)
}

// trimmed leaves out the blanks that fill lines up.
func trimmed(screen []byte) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(screen)) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.Bytes()
}
