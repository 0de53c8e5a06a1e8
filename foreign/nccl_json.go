package foreign

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/bundle"
)

// An ncclFile is what -J writes, in the parts that are read. Truth values are texts,
// and what was not measured is null.
type ncclFile struct {
	Args    []string
	Env     []string
	Version int     `json:"nccl_version"`
	Start   string  `json:"start_time"`
	End     *string `json:"end_time"`
	Config  struct {
		Threads int `json:"nthreads"`
		GPUs    int `json:"ngpus"`
		Devices []struct {
			Rank int
			Host string `json:"hostname"`
			Info string `json:"device_info"`
		}
	}
	Results []ncclResult
	Average *struct {
		Bandwidth any
	} `json:"average_bus_bandwidth"`
}

type ncclResult struct {
	Size   int64
	Count  int64
	Type   string
	Reduce string `json:"redop"`
	Root   string
	Out    *ncclTimes     `json:"out_of_place"`
	OutPer *ncclIteration `json:"out_of_place_per_iter"`
	In     *ncclTimes     `json:"in_place"`
	InPer  *ncclIteration `json:"in_place_per_iter"`
	Actual float64        `json:"actual_iterations"`
}

type ncclTimes struct {
	Time  *json.Number
	CPU   *json.Number `json:"cpu_time"`
	Alg   *json.Number `json:"alg_bw"`
	Bus   *json.Number `json:"bus_bw"`
	Wrong *float64     `json:"nwrong"`
}

type ncclIteration struct {
	Skipped int       `json:"skipped_iterations"`
	Times   []float64 `json:"times_us"`
}

// readNCCLJSON reads a file of -J, and leaves out of what is kept of it the values
// of all variables but those that tune communication.
func readNCCLJSON(f *File) (run ncclRun, err error) {
	var read ncclFile
	if err := f.JSON(&read, ncclWants); err != nil {
		return run, err
	}
	run = ncclRun{file: f.Name, facts: map[string]any{}}
	if len(read.Results) == 0 || read.End == nil {
		return run, fmt.Errorf("%s has %d results and an end of %v: the test did not end; want %s", f.Name, len(read.Results), read.End != nil, ncclWants)
	}
	if len(read.Args) > 0 {
		run.collective = ncclCollective(read.Args[0])
	}
	if v := read.Version; v > 0 {
		run.facts["nccl.version"] = fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
	}
	// One entry for each process, whatever their number of threads and GPUs.
	if n := len(read.Config.Devices) * read.Config.Threads * read.Config.GPUs; n > 0 && n < 1<<24 {
		run.ranks = n
	}
	for _, d := range read.Config.Devices {
		run.facts[fmt.Sprintf("rank.%d.host", d.Rank)], run.facts[fmt.Sprintf("rank.%d.gpu", d.Rank)] = d.Host, d.Info
	}
	for _, variable := range read.Env {
		if name, value, ok := strings.Cut(variable, "="); ok && ncclTunes(name) {
			run.facts["env."+name] = value
		}
	}
	// The time is local and has no zone: it is a fact, not a moment.
	run.facts["nccl-tests.start_time"] = read.Start
	run.started = time.Time{}
	for i, r := range read.Results {
		row, err := r.row()
		if err != nil {
			return run, fmt.Errorf("%s, result %d: %w", f.Name, i, err)
		}
		run.rows = append(run.rows, row)
	}
	if read.Average != nil {
		if v, ok := read.Average.Bandwidth.(float64); ok {
			v *= 1e9
			run.average = &v
		}
	}
	f.Kept, err = ncclRedacted(f.Data)
	return run, err
}

// ncclTunes reports whether a variable is about communication. All others may hold
// secrets: the file has the whole environment.
func ncclTunes(name string) bool {
	for _, prefix := range []string{"NCCL_", "CUDA_", "UCX_", "FI_", "OMPI_MCA_", "RDMAV_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// ncclRedacted is the file without the values of other variables.
func ncclRedacted(data []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	var env []string
	if raw, ok := all["env"]; ok {
		if err := json.Unmarshal(raw, &env); err != nil {
			return nil, err
		}
		for i, variable := range env {
			if name, _, _ := strings.Cut(variable, "="); !ncclTunes(name) {
				env[i] = name + "=" + bundle.Redacted
			}
		}
		var err error
		if all["env"], err = json.Marshal(env); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(all, "", "  ")
}

func (r ncclResult) row() (row ncclRow, err error) {
	row = ncclRow{size: r.Size, count: r.Count, kind: r.Type, reduce: r.Reduce, root: strings.TrimSpace(r.Root), actual: r.Actual}
	if r.Size < 0 || !(r.Actual >= 0 && r.Actual < 1e12) {
		return row, fmt.Errorf("a size of %d and %v iterations", r.Size, r.Actual)
	}
	if row.out, err = r.Out.mode(); err != nil {
		return row, fmt.Errorf("out_of_place: %w", err)
	}
	if row.in, err = r.In.mode(); err != nil {
		return row, fmt.Errorf("in_place: %w", err)
	}
	if row.out == nil && row.in == nil {
		return row, fmt.Errorf("neither out_of_place nor in_place has a time")
	}
	if r.OutPer != nil {
		row.skipped = r.OutPer.Skipped
		if row.outTimes, err = r.OutPer.seconds(); err != nil {
			return row, err
		}
	}
	if r.InPer != nil {
		row.skipped = r.InPer.Skipped
		row.inTimes, err = r.InPer.seconds()
	}
	return row, err
}

// seconds are the times of single iterations.
func (p ncclIteration) seconds() (list []float64, err error) {
	for _, us := range p.Times {
		if !(us >= 0 && us < 1e12) {
			return nil, fmt.Errorf("an iteration of %v µs", us)
		}
		list = append(list, us/1e6)
	}
	return list, nil
}

// mode reads one half; nil where it was not measured.
func (t *ncclTimes) mode() (*ncclMode, error) {
	if t == nil || t.Time == nil && t.CPU == nil {
		return nil, nil
	}
	m := &ncclMode{cpu: t.Time == nil, wrong: t.Wrong}
	spent := t.Time
	if m.cpu {
		spent = t.CPU
	}
	for _, one := range []struct {
		name         string
		from         *json.Number
		value, loose *float64
		times, over  float64
	}{{"time", spent, &m.seconds, &m.looseSeconds, 1, 1e6}, {"alg_bw", t.Alg, &m.alg, &m.looseAlg, 1e9, 1}, {"bus_bw", t.Bus, &m.bus, &m.looseBus, 1e9, 1}} {
		if one.from == nil {
			return nil, fmt.Errorf("%s is missing", one.name)
		}
		v, loose, err := ncclPrinted(one.from.String())
		if err != nil {
			return nil, fmt.Errorf("%s is %q, want a number that is not negative", one.name, one.from.String())
		}
		*one.value, *one.loose = v*one.times/one.over, loose*one.times/one.over
	}
	if m.wrong != nil && !(*m.wrong >= 0 && *m.wrong <= math.MaxInt64) {
		return nil, fmt.Errorf("nwrong is %v, want a count", *m.wrong)
	}
	return m, nil
}
