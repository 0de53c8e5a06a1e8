//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// referee is the program that runs each program; see there.
//
//go:embed referee.py
var referee string

// system is what an interpreter needs of the host to start at all.
var system = []string{"/usr", "/lib", "/lib64", "/bin", "/nix/store", "/etc/ld.so.cache"}

// A python is an interpreter of the host. Environments and version managers put links
// and scripts in front of it; programs get the one behind them, with nothing but its
// own library.
type python struct {
	Executable string
	Prefixes   []string // the folders of its library
	Referee    []byte   // referee.py compiled for it, which takes longer than to start it
}

// tellPython describes the interpreter that runs it, with the referee on its input.
const tellPython = `import base64, importlib._bootstrap_external as files, json, os, sys
code = files._code_to_timestamp_pyc(compile(sys.stdin.read(), "<referee>", "exec", dont_inherit=True))
print(json.dumps({
    "Executable": os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable),
    "Prefixes": [os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)],
    "Referee": base64.b64encode(code).decode(),
}))`

func findPython(ctx context.Context, name string) (python, error) {
	name = or(name, "python3")
	p, err := askPython(ctx, name)
	if err == nil && within(p.Executable, scratch) {
		err = fmt.Errorf("%s lies below %s, of which programs get an empty one", p.Executable, scratch)
	}
	if err != nil {
		return python{}, &Refusal{Facility: "Python interpreter", Why: err.Error(), Fix: "install python3 (3.8 or later), or name another one"}
	}
	return p, nil
}

func askPython(ctx context.Context, name string) (p python, err error) {
	cmd := exec.CommandContext(ctx, name, "-I", "-S", "-c", tellPython)
	cmd.Stdin = strings.NewReader(referee)
	said := newTail(200)
	cmd.Stderr = said
	out, err := cmd.Output()
	if err != nil {
		text, _ := said.text()
		return python{}, errors.New(strings.TrimSpace(fmt.Sprintf("%s: %v %s", name, err, text)))
	}
	return p, json.Unmarshal(out, &p)
}

// readable lists what programs may read: no folder twice, nor inside another.
func (p python) readable() []string {
	paths := slices.Clone(system)
	for _, path := range append([]string{filepath.Dir(p.Executable)}, p.Prefixes...) {
		if !slices.ContainsFunc(paths, func(have string) bool { return within(path, have) }) {
			paths = append(slices.DeleteFunc(paths, func(have string) bool { return within(have, path) }), path)
		}
	}
	return paths
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
