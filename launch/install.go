package launch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"assay/child"
	"assay/record"
)

// HostFacts are what was found out of a host.
type HostFacts struct {
	Name    string
	System  string // such as Linux
	Machine string // such as x86_64
	Copied  bool   // this program was copied there; false where it was there already
	Digest  string // SHA-256 of the program there
	StartUp time.Duration

	Captured record.Environment // what the host says of itself
}

func (f HostFacts) how() string {
	if f.Copied {
		return "a copy of this program was made there and verified"
	}
	return "this program is there already, with the same digest"
}

// An installed is this program on a host.
type installed struct {
	facts HostFacts
	path  string
	dir   string // to remove at the end; empty where nothing was copied
}

// arrive looks at a host: what it is, whether this program is there with the right
// digest, else a new folder for it and the room there. Every line begins with a word
// that no login script prints.
const arrive = `umask 077
echo "assay-system $(uname -s) $(uname -m)"
have=$( { sha256sum <"$2" || shasum -a 256 <"$2"; } 2>/dev/null)
if [ "${have%% *}" = "$1" ]; then echo assay-here; exit 0; fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/assay-XXXXXXXXXX") || exit 1
echo "assay-room $(df -Pk "$dir" | awk 'END { print $4 }')"
echo "assay-folder $dir"`

// receive takes the program and says what has arrived.
const receive = `umask 077
cat >"$1/assay" && chmod 700 "$1/assay" || { rm -rf "$1"; exit 1; }
sum=$( { sha256sum <"$1/assay" || shasum -a 256 <"$1/assay"; } 2>/dev/null)
echo "assay-sum ${sum%% *}"`

// attend runs the program and removes it afterwards. A hang-up ends its input, which
// it notices itself: then it still has its ranks to end.
const attend = `trap "" HUP
"$1" attend
code=$?
if [ -n "$2" ]; then rm -rf "$2"; fi
exit $code`

func (i installed) attend() []string { return []string{"sh", "-c", attend, "assay", i.path, i.dir} }

// machines are what uname calls the processors that Go has other names for.
var machines = map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// install makes sure that this program is on a host.
func install(ctx context.Context, t transport, h Host, p program) (installed, error) {
	said, err := remote(ctx, t, h, nil, "sh", "-c", arrive, "assay", p.digest, p.path)
	if err != nil {
		return installed{}, err
	}
	words := spoken(said)
	there := installed{path: p.path, facts: HostFacts{Name: h.Name, Digest: p.digest}}
	there.facts.System, there.facts.Machine, _ = strings.Cut(words["assay-system"], " ")
	if _, here := words["assay-here"]; here {
		return there, nil
	}
	there.dir = words["assay-folder"]
	if there.dir == "" {
		return there, fmt.Errorf("host %s: it did not say where a copy of this program could lie: %q", h.Name, strings.TrimSpace(said))
	}
	err = there.fits(p, words["assay-room"])
	if err == nil {
		err = there.copy(ctx, t, h, p)
	}
	if err != nil {
		_, _ = remote(context.WithoutCancel(ctx), t, h, nil, "rm", "-rf", there.dir) // the host may be gone
		return there, err
	}
	there.path, there.facts.Copied = there.dir+"/assay", true
	return there, nil
}

// fits refuses a host that cannot run the copy, before it is made.
func (i installed) fits(p program, room string) error {
	f := i.facts
	if !strings.EqualFold(f.System, runtime.GOOS) || machines[f.Machine] != "" && machines[f.Machine] != runtime.GOARCH {
		return fmt.Errorf("host %s is %s on %s, and this program is built for %s on %s: start assay on a host like it, or put the same version, built for it, at %s there", f.Name, f.System, f.Machine, runtime.GOOS, runtime.GOARCH, p.path)
	}
	if kib, err := strconv.ParseInt(room, 10, 64); err == nil && kib<<10 < p.bytes+p.bytes/4 {
		return fmt.Errorf("host %s has %d MB left in %s, and a copy of this program needs %d MB: make room there, or set TMPDIR for its shells", f.Name, kib>>10, i.dir, (p.bytes+p.bytes/4)>>20)
	}
	return nil
}

// copy sends the program and holds what arrived against it.
func (i installed) copy(ctx context.Context, t transport, h Host, p program) error {
	file, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer file.Close()
	said, err := remote(ctx, t, h, file, "sh", "-c", receive, "assay", i.dir)
	if err != nil {
		return fmt.Errorf("copy this program: %w", err)
	}
	if got := spoken(said)["assay-sum"]; got != p.digest {
		return fmt.Errorf("host %s: the copy of this program has the digest %q, and it should have %s: nothing is started from it", h.Name, got, p.digest)
	}
	return nil
}

// spoken are the lines that a script printed, by their first word.
func spoken(text string) map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(text) {
		if word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(word, "assay-") {
			words[word] = rest
		}
	}
	return words
}

// remote runs a command on a host and returns what it printed.
func remote(ctx context.Context, t transport, h Host, in io.Reader, args ...string) (string, error) {
	cmd := t.command(h, args...)
	var out bytes.Buffer
	said := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, said
	cmd.SysProcAttr = child.Apart()
	cmd.WaitDelay = pipeWithin
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("host %s: %w", h.Name, err)
	}
	unhook := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer unhook()
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", t.explain(h, said.last(), err)
	}
	return out.String(), nil
}

// sum is the SHA-256 of what a reader holds, and how much that is.
func sum(r io.Reader) (digest string, n int64, err error) {
	hash := sha256.New()
	n, err = io.Copy(hash, r)
	return hex.EncodeToString(hash.Sum(nil)), n, err
}
