package foreign

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"assay/intake"
)

// All lists every tool, in the order in which they are asked whether a path is
// theirs.
var All = []Tool{
	GenAIBench,
	VLLM,
	SGLang,
	AIPerf,
	GuideLLM,
	InferencePerf,
	K6,
	Vegeta,
	MLPerf,
	NCCLTests,
	Iperf3,
	Perftest,
	Fio,
	LMEval,
}

// Find is the tool called name.
func Find(name string) (Tool, error) {
	for _, t := range All {
		if t.Name == name {
			return t, nil
		}
	}
	return Tool{}, fmt.Errorf("no tool %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the names of all tools.
func Names() []string {
	var list []string
	for _, t := range All {
		list = append(list, t.Name)
	}
	return list
}

// Detect is the one tool that claims every path.
func Detect(paths []string) (Tool, error) {
	if len(paths) == 0 {
		return Tool{}, errors.New("nothing to read: want the files or the folder that a tool has written")
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue
		}
		file, err := intake.Open(path)
		if err != nil {
			return Tool{}, err
		}
		file.Close() // it is there, and a file
	}
	var claim []Tool
	for _, t := range All {
		all := true
		for _, path := range paths {
			all = all && t.Claims(path)
		}
		if all {
			claim = append(claim, t)
		}
	}
	switch len(claim) {
	case 1:
		return claim[0], nil
	case 0:
		return Tool{}, fmt.Errorf("%s: no tool knows this as its own result; name the tool to learn what it misses, one of %s", strings.Join(paths, " "), strings.Join(Names(), ", "))
	}
	var names []string
	for _, t := range claim {
		names = append(names, t.Name)
	}
	return Tool{}, fmt.Errorf("%s: could be of %s: name the tool", strings.Join(paths, " "), strings.Join(names, " or "))
}
