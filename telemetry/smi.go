package telemetry

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"assay/record"
)

// smi reads devices by running nvidia-smi, for programs built without cgo. Each
// reading starts a process and costs some hundred milliseconds of one core.
type smi struct{ host Host }

var _ GPUs = smi{}

// Close implements GPUs.
func (smi) Close() error { return nil }

// Facts implements GPUs.
func (s smi) Facts(ctx context.Context) (record.Environment, error) {
	log, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	env := record.Environment{}
	env.Set("gpu.library", "nvidia-smi")
	env.Set("gpu.count", len(log.gpus))
	env.Miss("gpu.nvml", "asked nvidia-smi instead")
	env.Miss("topology.gpu_gpu", "nvidia-smi -q does not say")
	for name, key := range map[string]string{"gpu.driver": "driver_version", "gpu.cuda_driver": "cuda_version"} {
		if v, ok := log.top[key]; ok {
			env.Set(name, v)
		}
	}
	for n, g := range log.gpus {
		for _, f := range smiFacts {
			name := fmt.Sprintf("gpu.%d.%s", n, f.name)
			if v, err := f.read(g); err != nil {
				env.Miss(name, "nvidia-smi: "+err.Error())
			} else {
				env.Set(name, v)
			}
		}
		fillDevice(env, n, "nvidia-smi -q does not say")
	}
	return env, nil
}

// Gauges implements GPUs.
func (s smi) Gauges(ctx context.Context) ([]Reading, error) {
	log, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, g := range log.gpus {
		uuid := g.values["uuid"]
		for _, f := range smiGauges {
			r := Reading{Name: f.name, Scope: uuid}
			if v, err := quantity(f.factor, f.paths...)(g); err != nil {
				r.Missing = "nvidia-smi: " + err.Error()
			} else {
				r.Value = v.(float64)
			}
			out = append(out, r)
		}
		out = append(out, Reading{Name: "energy.total", Scope: uuid, Missing: "nvidia-smi -q does not say"})
		if mask, err := g.throttleMask(); err != nil {
			out = append(out, missingThrottle(uuid, "nvidia-smi: "+err.Error())...)
		} else {
			out = append(out, maskReadings(uuid, mask)...)
		}
	}
	return out, nil
}

// Processes implements GPUs.
func (s smi) Processes(ctx context.Context) ([]GPUProcess, error) {
	log, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	var out []GPUProcess
	for _, g := range log.gpus {
		out = append(out, g.processes...)
	}
	return out, nil
}

func (s smi) ask(ctx context.Context) (smiLog, error) {
	b, err := s.host.run(ctx, "nvidia-smi", "-q", "-x")
	if err != nil {
		return smiLog{}, err
	}
	return parseSMI(b)
}

// An smiLog is the answer of nvidia-smi -q -x: text by path.
type smiLog struct {
	top  map[string]string
	gpus []smiGPU
}

type smiGPU struct {
	values    map[string]string // by path below gpu, such as clocks/sm_clock
	processes []GPUProcess
}

// parseSMI flattens the document. Only leaves have text; of repeated leaves the
// first is kept, except processes, of which every one is.
func parseSMI(b []byte) (smiLog, error) {
	log := smiLog{top: map[string]string{}}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false // the document names a DTD file that is not there
	var path []string
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return smiLog{}, fmt.Errorf("nvidia-smi -q -x: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			text.Reset()
			log.open(path)
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			log.leaf(path, strings.TrimSpace(text.String()))
			text.Reset()
			path = path[:len(path)-1]
		}
	}
	if log.top["driver_version"] == "" {
		return smiLog{}, errors.New("nvidia-smi -q -x: got no driver_version, want an nvidia_smi_log document")
	}
	return log, nil
}

func (l *smiLog) open(path []string) {
	if len(path) == 2 && path[1] == "gpu" {
		l.gpus = append(l.gpus, smiGPU{values: map[string]string{}})
	}
	if len(l.gpus) > 0 && path[len(path)-1] == "process_info" {
		g := &l.gpus[len(l.gpus)-1]
		g.processes = append(g.processes, GPUProcess{GPU: g.values["uuid"]})
	}
}

func (l *smiLog) leaf(path []string, text string) {
	if text == "" || len(path) < 2 {
		return
	}
	if path[1] != "gpu" || len(l.gpus) == 0 {
		l.top[strings.Join(path[1:], "/")] = text
		return
	}
	g := &l.gpus[len(l.gpus)-1]
	below := strings.Join(path[2:], "/")
	if rest, ok := strings.CutPrefix(below, "processes/process_info/"); ok && len(g.processes) > 0 {
		p := &g.processes[len(g.processes)-1]
		switch n, err := splitQuantity(text); {
		case err != nil: // a name, or N/A
		case rest == "pid":
			p.PID = int(n)
		case rest == "used_memory":
			p.Memory = uint64(n * mebibyte)
		}
		return
	}
	if _, seen := g.values[below]; !seen {
		g.values[below] = text
	}
}

const mebibyte = 1 << 20

// splitQuantity reads the number of "1410 MHz", "16x" or "512 MiB".
func splitQuantity(text string) (float64, error) {
	number := strings.TrimRight(strings.Fields(text + " ")[0], "x")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("got %q, want a number", text)
	}
	return v, nil
}
