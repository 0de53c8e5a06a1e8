package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// isKineto: an object with traceEvents, or the bare list of older versions.
func isKineto(head []byte) bool {
	head = bytes.TrimSpace(head)
	return bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("["))
}

// A kinetoEvent is one event of a Chrome trace; times are µs.
type kinetoEvent struct {
	Phase    string          `json:"ph"`
	Category string          `json:"cat"`
	Name     string          `json:"name"`
	PID      json.RawMessage `json:"pid"`
	TID      json.RawMessage `json:"tid"`
	Begin    float64         `json:"ts"`
	Length   float64         `json:"dur"`
	Args     struct {
		Collective string `json:"Collective name"`
		In         int64  `json:"In msg nelems"`
		Out        int64  `json:"Out msg nelems"`
		Type       string `json:"dtype"`
		Group      int    `json:"Group size"`
	} `json:"args"`
}

// readKineto reads events one by one: traces of some steps have millions.
func readKineto(r *bufio.Reader) (recording, error) {
	d := json.NewDecoder(r)
	var out recording
	var host []hostEvent
	token, err := d.Token()
	if err != nil {
		return out, err
	}
	each := func() error {
		for d.More() {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return err
			}
			var e kinetoEvent
			if json.Unmarshal(raw, &e) != nil {
				continue // arguments of another make; what cannot be read has no time to count
			}
			if made, ok := e.onDevice(); ok {
				out.events = append(out.events, made)
			} else if made, ok := e.onHost(); ok {
				host = append(host, made)
			}
		}
		_, err := d.Token()
		return err
	}
	switch token {
	case json.Delim('['):
		err = each()
	case json.Delim('{'):
		err = out.object(d, each)
	default:
		err = fmt.Errorf("begins with %v, want an object or a list", token)
	}
	if err != nil {
		return out, err
	}
	if !slices.ContainsFunc(out.events, func(e event) bool { return e.class != classSync }) {
		out.events, out.host = hostEvents(host), true
		out.notes = append(out.notes, "no device in it: operations of the host stand for kernels, and what runs on several threads at once counts once")
	}
	return out, nil
}

// object reads the members of a Kineto trace.
func (r *recording) object(d *json.Decoder, each func() error) error {
	found := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "traceEvents":
			found = true
			if open, err := d.Token(); err != nil || open != json.Delim('[') {
				return errors.Join(err, errors.New("traceEvents: want a list"))
			}
			if err := each(); err != nil {
				return err
			}
		case "distributedInfo":
			var info struct {
				Rank *int `json:"rank"`
			}
			if err := d.Decode(&info); err != nil {
				return err
			}
			r.rank = info.Rank
		default:
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return err
			}
		}
	}
	if !found {
		return errors.New("no traceEvents in it")
	}
	return nil
}

// onDevice makes an event of what a device did, or of a host that waited for one.
func (k kinetoEvent) onDevice() (event, bool) {
	if k.Phase != "X" {
		return event{}, false
	}
	e := event{name: k.Name, begin: 1e3 * k.Begin, end: 1e3 * (k.Begin + k.Length)}
	switch k.Category {
	case "kernel", "Kernel":
		e.class = classCompute
		if communication.MatchString(k.Name) {
			e.class, e.collective = classComm, k.called()
		}
	case "gpu_memcpy", "gpu_memset", "Memcpy", "Memset":
		e.class = classCopy
	case "cuda_runtime", "hip_runtime", "Runtime":
		if !strings.Contains(k.Name, "Synchronize") {
			return e, false
		}
		e.class = classSync
	default:
		return e, false
	}
	return e, true
}

// mostElements is more than any message holds; in bytes it is still a number.
const mostElements = 1 << 59

// called is what the collective was called with; nil where the trace does not say.
func (k kinetoEvent) called() *called {
	if k.Args.Collective == "" || max(k.Args.In, k.Args.Out) > mostElements {
		return nil
	}
	plain := strings.ReplaceAll(k.Args.Collective, "_", "")
	elements := k.Args.In
	if strings.Contains(plain, "allgather") {
		elements = max(k.Args.In, k.Args.Out) // the whole output, not one rank's part
	}
	return &called{k.Args.Collective, elements * elementSize(k.Args.Type), k.Args.Group}
}

// elementSize is how many bytes an element takes; zero for a type that is not known.
func elementSize(name string) int64 {
	switch strings.ToLower(name) {
	case "double", "long", "int64", "float64", "complexfloat":
		return 8
	case "float", "int", "int32", "float32":
		return 4
	case "half", "bfloat16", "short", "float16", "int16":
		return 2
	case "byte", "char", "bool", "uint8", "int8", "float8_e4m3fn", "float8_e5m2":
		return 1
	}
	return 0
}

// A hostEvent is an operation of one thread.
type hostEvent struct {
	event
	thread string
}

func (k kinetoEvent) onHost() (hostEvent, bool) {
	legacy := k.Category == "" && strings.Contains(string(k.PID), "CPU functions")
	if k.Phase != "X" || !(legacy || k.Category == "cpu_op" || k.Category == "Operator" || communication.MatchString(k.Name)) {
		return hostEvent{}, false
	}
	e := event{name: k.Name, class: classCompute, begin: 1e3 * k.Begin, end: 1e3 * (k.Begin + k.Length)}
	if communication.MatchString(k.Name) {
		e.class = classComm
	}
	return hostEvent{e, string(k.PID) + " " + string(k.TID)}, true
}

// hostEvents gives each operation the time that it took itself.
func hostEvents(list []hostEvent) []event {
	slices.SortStableFunc(list, func(a, b hostEvent) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end))
	})
	var open []int // operations that the next may be inside of
	for i := range list {
		e := &list[i]
		e.self = e.end - e.begin
		for len(open) > 0 {
			above := &list[open[len(open)-1]]
			if above.thread == e.thread && e.begin < above.end {
				above.self -= min(e.end, above.end) - e.begin
				break
			}
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	var out []event
	for _, e := range list {
		out = append(out, e.event)
	}
	return out
}
