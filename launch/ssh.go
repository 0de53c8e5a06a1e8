package launch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// SSH gathers hosts by the system's ssh, with the user's own keys and settings. Nobody
// is asked for anything: a host that wants a password or whose key is not known is an
// error. Nothing needs to be installed there.
func SSH(ctx context.Context, hosts []Host, o CrewOptions) (*Crew, error) {
	path, err := exec.LookPath("ssh")
	if err != nil {
		return nil, errors.New("ssh is not installed here: want the openssh-client of this system")
	}
	return gather(ctx, secureShell{path}, hosts, o)
}

// secureShell reaches hosts by ssh.
type secureShell struct{ path string }

// sshOptions hold for every host; what a host file says of one comes first, and ssh
// takes the first. A host that is cut off is given up after a quarter of a minute.
var sshOptions = []string{
	"-T", "-a", "-x",
	"-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=10",
	"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ClearAllForwardings=yes", "-o", "LogLevel=ERROR",
}

func (s secureShell) command(h Host, args ...string) *exec.Cmd {
	list := append([]string{}, h.Options...)
	list = append(list, sshOptions...)
	if h.User != "" {
		list = append(list, "-l", h.User)
	}
	if h.Port != "" {
		list = append(list, "-p", h.Port)
	}
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = quoted(arg)
	}
	return exec.Command(s.path, append(list, "--", h.Name, strings.Join(words, " "))...)
}

// quoted is a word as the shell of a host reads it: ssh hands it one line.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// sshFaults are what ssh prints of a host that it cannot use, and what to do then.
var sshFaults = []struct{ said, means string }{
	{"Host key verification failed", "its host key is not known here: connect once by hand (ssh %s) and compare the key"},
	{"host key is known for", "its host key is not known here: connect once by hand (ssh %s) and compare the key"},
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key is another than before: find out why before anything else (ssh %s)"},
	{"Permission denied", "it refuses your keys or asks for a password, and assay cannot type one: ssh-copy-id %s, or name user= and -i in the host file"},
	{"Could not resolve", "its name does not resolve here: see the host file (%s)"},
	{"Connection refused", "nothing listens at its port: is sshd running on %s?"},
	{"timed out", "it does not answer: is %s up, and can this host reach it?"},
	{"No route to host", "there is no route to it from here: is %s up?"},
	{"No space left", "its disk is full: make room on %s, or set TMPDIR for its shells"},
}

func (s secureShell) explain(h Host, said string, err error) error {
	for _, f := range sshFaults {
		if strings.Contains(said, f.said) {
			return fmt.Errorf("host %s: %s (ssh says %q)", h.Name, fmt.Sprintf(f.means, h.Name), said)
		}
	}
	if said != "" {
		return fmt.Errorf("host %s: %w: %s", h.Name, err, said)
	}
	return fmt.Errorf("host %s: %w", h.Name, err)
}
