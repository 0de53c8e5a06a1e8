package diff

import (
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// commandVariable is what a change of the command that starts a server is called, where it is
// no other version of the same program.
const commandVariable = "server.command"

// shells are programs that are given others to run as text or in a file.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"}

// wrappers are programs that start another one and say on what of the machine.
var wrappers = slices.Concat(shells, []string{
	"env", "nice", "ionice", "taskset", "numactl", "chrt", "cpulimit", "prlimit", "cgexec", "systemd-run", "timeout", "stdbuf", "setarch", "unshare", "strace", "trickle", "faketime",
})

// wrapperFlags are the long flags of wrappers; short ones are all taken for theirs.
var wrapperFlags = []string{"--cpunodebind", "--physcpubind", "--membind", "--interleave", "--preferred", "--localalloc", "--cpu-list", "--adjustment", "--class", "--limit", "--property", "--scope"}

// A start is how two sides start their servers, by the plain words of their commands.
type start struct {
	script, wrapped bool
	words           string // what a change of the plain words is called
}

func startOf(a, b Side, x, y string) start {
	s := start{script: startsScript(x) || startsScript(y), wrapped: isWrapped(x) || isWrapped(y), words: runtime}
	switch {
	case s.script:
		s.words = scriptVariable
	case sameProgram(x, y):
	case isWrapped(x) != isWrapped(y) || !otherEngine(a, b):
		s.words = commandVariable
	}
	return s
}

// variable is what a change of the command at path is called.
func (s start) variable(at string) string {
	flag, isFlag := strings.CutPrefix(at, commandPath+" ")
	short := strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--")
	switch {
	case !isFlag:
		return s.words
	case s.wrapped && (short || slices.Contains(wrapperFlags, flag)):
		return commandVariable
	}
	return runtime
}

// isWrapped reports whether a command starts the server by another program.
func isWrapped(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && slices.Contains(wrappers, path.Base(words[0]))
}

// digits are what the versions of a program differ in.
var digits = regexp.MustCompile(`[0-9][0-9.]*`)

// sameProgram reports whether the plain words of two commands start one program, of any version
// and from any folder, and give it the same.
func sameProgram(x, y string) bool {
	a, b := strings.Fields(x), strings.Fields(y)
	if len(a) != len(b) || len(a) == 0 {
		return len(a) == len(b)
	}
	program := 0
	if isWrapped(x) && len(a) > 1 {
		program = 1
	}
	bare := func(word string) string { return digits.ReplaceAllString(path.Base(word), "") }
	for i := range a {
		if a[i] != b[i] && (i > program || bare(a[i]) != bare(b[i])) {
			return false
		}
	}
	return true
}

// otherEngine reports whether two sides are known to be of different engines, whose commands
// have no word in common.
func otherEngine(a, b Side) bool {
	x, y := engineOf(a), engineOf(b)
	return x != "" && y != "" && x != y
}

func engineOf(s Side) string {
	if name, told := s.Manifest.Environment["server.engine"].Value.(string); told {
		return name
	}
	if t := s.Plan.Target(); t != nil {
		return s.Plan.Run.SystemOf(t).Engine
	}
	return ""
}

// hostName is a name of a machine; one of digits alone is a number.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// isPlace reports whether a value can be where a server listens: a port, a host, or both.
func isPlace(value string) bool {
	host, port, err := net.SplitHostPort(value)
	switch number, notNumber := strconv.Atoi(value); {
	case value == "" || net.ParseIP(value) != nil:
		return true
	case err == nil:
		return isPlace(port) && (host == "" || isPlace(host))
	case notNumber == nil:
		return number > 0 && number < 1<<16
	}
	return hostName.MatchString(value) && strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
