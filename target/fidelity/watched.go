package fidelity

import (
	"io"
	"os"
	"os/exec"

	"assay/record"
)

// A Watcher sees what the client process has decoded, as those see it who draw a
// live view: off the measured path, request by request.
type Watcher func(request *record.Request, chunks []record.Chunk)

// attach gives the client process its standard error: the terminal that it draws
// its view on, or else w.
func (b Bench) attach(cmd *exec.Cmd, w io.Writer) {
	if b.Terminal == nil {
		cmd.Stderr = w
		return
	}
	cmd.Stdin, cmd.Stderr = b.Terminal, b.Terminal
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "CI=")
	cmd.Args = append(cmd.Args, "--view")
}
