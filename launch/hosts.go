package launch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"assay/intake"
)

// A Host is a machine that ranks are started on.
type Host struct {
	Name  string // as ssh or the scheduler calls it
	Slots int    // how many ranks it takes
	User  string // empty means as ssh is set up
	Port  string

	Options []string // of ssh, as its command line has them
}

// String is the host as a line of a host file.
func (h Host) String() string {
	words := []string{h.Name, fmt.Sprintf("slots=%d", h.Slots)}
	if h.User != "" {
		words = append(words, "user="+h.User)
	}
	if h.Port != "" {
		words = append(words, "port="+h.Port)
	}
	return strings.Join(append(words, h.Options...), " ")
}

// mostHostFile bounds a host file: ten thousand hosts with options.
const mostHostFile = 1 << 20

// ReadHosts reads hosts, each written as a line of a host file or as the path of one.
// A host that is named twice is refused: its slots say how many ranks it takes.
func ReadHosts(entries []string) ([]Host, error) {
	var hosts []Host
	var errs []error
	for _, entry := range entries {
		lines := []string{entry}
		if info, err := os.Stat(entry); err == nil && info.Mode().IsRegular() || strings.HasPrefix(entry, "/") || strings.HasPrefix(entry, "./") {
			text, err := intake.ReadFile(entry, mostHostFile)
			if err != nil {
				return nil, fmt.Errorf("host file: %w", err)
			}
			lines = strings.Split(string(text), "\n")
		}
		for i, line := range lines {
			host, ok, err := readHost(line)
			if err != nil && len(lines) > 1 {
				err = fmt.Errorf("%s:%d: %w", entry, i+1, err)
			}
			if errs = append(errs, err); ok && err == nil {
				hosts = append(hosts, host)
			}
		}
	}
	errs = append(errs, distinct(hosts))
	if len(hosts) == 0 {
		errs = append(errs, errors.New("no host is named: want names, or the path of a file with one in each line"))
	}
	return hosts, errors.Join(errs...)
}

func distinct(hosts []Host) error {
	seen := map[string]bool{}
	for _, h := range hosts {
		where := h.User + "@" + h.Name + ":" + h.Port
		if seen[where] {
			return fmt.Errorf("host %s is named twice: want it once, with slots=N for the ranks that it takes", h.Name)
		}
		seen[where] = true
	}
	return nil
}

// readHost reads one line; false means that it is empty or a comment.
func readHost(line string) (Host, bool, error) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return Host{}, false, nil
	}
	h := Host{Name: words[0], Slots: 1}
	if user, name, ok := strings.Cut(h.Name, "@"); ok {
		h.User, h.Name = user, name
	}
	if h.Name == "" || strings.HasPrefix(h.Name, "-") || strings.HasPrefix(h.User, "-") {
		return h, false, fmt.Errorf("host %q: want the name of a host first", words[0])
	}
	for i := 1; i < len(words); i++ {
		name, value, _ := strings.Cut(words[i], "=")
		n, err := strconv.Atoi(value)
		switch {
		case strings.HasPrefix(words[i], "-"):
			h.Options = words[i:] // the rest of the line is ssh's
			return h, true, nil
		case name == "user" && value != "" && value[0] != '-':
			h.User = value
		case name == "slots" && err == nil && n > 0:
			h.Slots = n
		case name == "port" && err == nil && n > 0 && n < 1<<16:
			h.Port = value
		default:
			return h, false, fmt.Errorf("host %s: %q: want slots=N, user=NAME, port=N, or options of ssh such as -o ProxyJump=login", h.Name, words[i])
		}
	}
	return h, true, nil
}

// seats places the ranks of a world: they fill the slots of the first host, then those
// of the next.
func seats(hosts []Host, ranks int) ([][]seat, error) {
	placed := make([][]seat, len(hosts))
	rank := 0
	for i, h := range hosts {
		here := min(h.Slots, ranks-rank)
		for local := range here {
			placed[i] = append(placed[i], seat{Rank: rank + local, Ranks: ranks, Local: local, LocalRanks: here})
		}
		rank += here
	}
	if rank < ranks {
		return nil, fmt.Errorf("a world of %d ranks on %d hosts that take %d: give hosts more slots, or more hosts", ranks, len(hosts), rank)
	}
	return placed, nil
}
