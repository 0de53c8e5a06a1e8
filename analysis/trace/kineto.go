package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/intake"
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
func readKineto(r *bufio.Reader) (*recording, error) {
	k := kinetoReader{values: intake.NewValues("the trace", r, mostValue)}
	k.Decoder = json.NewDecoder(k.values)
	token, err := k.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		err = k.events()
	case json.Delim('{'):
		err = k.object()
	default:
		err = fmt.Errorf("begins with %v, want an object or a list", token)
	}
	if err != nil {
		return nil, err
	}
	if !k.out.begun() {
		k.out.notes = append(k.out.notes, "no device in it: operations of the host stand for kernels, and what runs on several threads at once counts once")
		err = k.out.standIn()
	}
	return &k.out, err
}

// A kinetoReader reads one trace. No single value of it may fill the memory.
type kinetoReader struct {
	*json.Decoder
	values *intake.Values
	out    recording
}

// events reads the list whose bracket has been read.
func (k *kinetoReader) events() error {
	var raw json.RawMessage // used again for every event
	for k.More() {
		k.values.Next()
		if err := k.Decode(&raw); err != nil {
			return err
		}
		var e kinetoEvent
		if json.Unmarshal(raw, &e) != nil {
			continue // arguments of another make; what cannot be read has no time to count
		}
		var err error
		if made, ok := e.onDevice(); ok {
			err = k.out.add(made)
		} else if made, ok := e.onHost(); ok {
			err = k.out.addOperation(made, string(e.PID)+" "+string(e.TID))
		}
		if err != nil {
			return err
		}
	}
	_, err := k.Token()
	return err
}

// object reads the members of a trace.
func (k *kinetoReader) object() error {
	found := false
	for k.More() {
		k.values.Next()
		key, err := k.Token()
		if err != nil {
			return err
		}
		switch key {
		case "traceEvents":
			found = true
			if open, err := k.Token(); err != nil || open != json.Delim('[') {
				return errors.Join(err, errors.New("traceEvents: want a list"))
			}
			err = k.events()
		case "distributedInfo":
			var info struct {
				Rank *int `json:"rank"`
			}
			err = k.Decode(&info)
			k.out.rank = info.Rank
		default:
			err = k.skip()
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return errors.New("no traceEvents in it")
	}
	return nil
}

// mostDepth is how deep values may nest that are of no interest.
const mostDepth = 1000

// skip passes over a value of any length without holding it.
func (k *kinetoReader) skip() error {
	for depth := 0; ; {
		k.values.Next()
		token, err := k.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth > mostDepth {
			return fmt.Errorf("nests more than %d deep", mostDepth)
		}
		if depth == 0 {
			return nil
		}
	}
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

// onHost makes an event of an operation of a thread.
func (k kinetoEvent) onHost() (event, bool) {
	legacy := k.Category == "" && strings.Contains(string(k.PID), "CPU functions")
	if k.Phase != "X" || !(legacy || k.Category == "cpu_op" || k.Category == "Operator" || communication.MatchString(k.Name)) {
		return event{}, false
	}
	e := event{name: k.Name, class: classCompute, begin: 1e3 * k.Begin, end: 1e3 * (k.Begin + k.Length)}
	if communication.MatchString(k.Name) {
		e.class = classComm
	}
	return e, true
}
