package telemetry

import (
	"context"

	"assay/record"
)

// A section is one family of facts: the names that are always recorded and the
// function that reads them. It may record further names, one per CPU policy,
// interface or device. Its error says why the names it left out are missing.
type section struct {
	names []string
	read  func(ctx context.Context, h Host, env record.Environment) error
}

// sections lists every family in the order they are read.
var sections = []section{
	fileSection,
	osSection,
	cpuSection,
	cacheSection,
	frequencySection,
	thermalSection,
	powerSection,
	numaSection,
	memorySection,
	pressureSection,
	cgroupSection,
	virtualSection,
	clockSection,
	stampSection,
	networkSection,
	rdmaSection,
	blockSection,
	pciSection,
	limitSection,
	schedulerSection,
	environSection,
	gitSection,
	selfSection,
	driverSection,
	pythonSection,
	serverSection,
	gpuSection,
}

const notReported = "not reported by this machine"

// Capture records the environment of h. Every name of Names is present in the
// result, as a value or as unavailable with the reason.
func Capture(ctx context.Context, h Host) record.Environment {
	env := record.Environment{}
	for _, s := range sections {
		reason := notReported
		if err := s.read(ctx, h, env); err != nil {
			reason = err.Error()
		}
		for _, name := range s.names {
			if _, ok := env[name]; !ok {
				env.Miss(name, reason)
			}
		}
	}
	return env
}

// A fileFact is a fact that is the content of one file.
type fileFact struct {
	name  string
	path  string
	parse parser
}

var fileSection = section{names: fileFactNames(), read: readFileFacts}

func fileFactNames() []string {
	var out []string
	for _, f := range fileFacts {
		out = append(out, f.name)
	}
	return out
}

func readFileFacts(_ context.Context, h Host, env record.Environment) error {
	for _, f := range fileFacts {
		h.record(env, f)
	}
	return nil
}

// record reads one file into env, or the reason why not.
func (h Host) record(env record.Environment, f fileFact) {
	text, err := h.text(f.path)
	if err != nil {
		env.Miss(f.name, err.Error())
		return
	}
	value, err := f.parse(text)
	if err != nil {
		env.Miss(f.name, "/"+f.path+": "+err.Error())
		return
	}
	env.Set(f.name, value)
}
