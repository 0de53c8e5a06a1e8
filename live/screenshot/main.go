// Command screenshot takes pictures of terminals: it runs assay demo in a real one,
// captures the live view with its colours and writes it as text and as SVG, or does the
// same with the short report of a bundle. make screenshots calls it; nothing else does.
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
	out := flag.String("out", "docs/img", "folder to write pictures into")
	bundle := flag.String("report", "", "take pictures of the short report of this bundle instead, in terminals of 80 and 160 columns")
	wait := flag.Duration("after", 17*time.Second, "how long the last point has run when the picture is taken")
	flag.Parse()
	if err := takeAll(*program, *bundle, *out, *wait); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

// takeAll takes the pictures that were asked for.
func takeAll(program, bundle, out string, wait time.Duration) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if bundle == "" {
		return takeLive(program, out, wait)
	}
	for _, columns := range []int{80, 160} {
		if err := takeReport(program, bundle, out, columns); err != nil {
			return err
		}
	}
	return nil
}

// A terminal is a real one of a given size, in which a command runs.
type terminal struct {
	socket        string
	columns, rows int
}

// begin runs a command in a new terminal.
func begin(dir, line string, columns, rows int) (terminal, error) {
	t := terminal{filepath.Join(dir, "tmux"), columns, rows}
	_, err := t.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), line)
	return t, err
}

func (t terminal) tmux(args ...string) ([]byte, error) {
	out, err := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("tmux %v: %w: %s", args, err, out)
	}
	return out, nil
}

// end closes the terminal, which ends with its command as well.
func (t terminal) end() { _, _ = t.tmux("kill-server") }

// draw writes what the terminal shows as SVG.
func (t terminal) draw(file, about string) error {
	coloured, err := t.tmux("capture-pane", "-p", "-e")
	if err != nil {
		return err
	}
	return os.WriteFile(file, picture(string(coloured), t.columns, t.rows, about), 0o644)
}

// takeReport writes what the short report of a bundle looks like.
func takeReport(program, bundle, out string, columns int) error {
	dir, err := os.MkdirTemp("", "assay-screenshot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	line := fmt.Sprintf("cd %s && LC_ALL=C.UTF-8 %s report %s; sleep 60", filepath.Dir(bundle), program, filepath.Base(bundle))
	t, err := begin(dir, line, columns, 25)
	if err != nil {
		return err
	}
	defer t.end()
	if err := t.until("assay report --all"); err != nil {
		return err
	}
	return t.draw(filepath.Join(out, fmt.Sprintf("terminal-%d.svg", columns)), "the short report of assay in a terminal")
}

// takeLive runs the demo and writes what its screen looks like in the midst of it.
func takeLive(program, out string, wait time.Duration) error {
	dir, err := os.MkdirTemp("", "assay-screenshot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := begin(dir, fmt.Sprintf("CI= LC_ALL=C.UTF-8 %s demo --duration 20s -o %s", program, dir), 100, 30)
	if err != nil {
		return err
	}
	defer t.end()
	if err := t.until("concurrency=16"); err != nil {
		return err
	}
	time.Sleep(wait)
	if err := t.draw(filepath.Join(out, "live.svg"), "the live view of assay in a terminal"); err != nil {
		return err
	}
	plain, err := t.tmux("capture-pane", "-p")
	if err != nil {
		return err
	}
	for range 2 { // so that the simulator ends too
		if _, err := t.tmux("send-keys", "q"); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
	}
	_ = t.until("no screen says this") // the terminal closes when the demo has ended
	return os.WriteFile(filepath.Join(out, "live.txt"), trimmed(plain), 0o644)
}

// until waits until the screen shows text; an error means that it is gone.
func (t terminal) until(text string) error {
	for range 1200 {
		shown, err := t.tmux("capture-pane", "-p")
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
