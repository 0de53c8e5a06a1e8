package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"assay/intake"
)

// The columns of nsys stats that are read, of the reports cuda_gpu_trace and
// cuda_gpu_kern_sum.
const (
	nsysStart, nsysLength = "Start (ns)", "Duration (ns)"
	nsysTotal, nsysCount  = "Total Time (ns)", "Instances"
	nsysName              = "Name"
)

func isNsightCSV(head []byte) bool {
	return !isKineto(head) && (bytes.Contains(head, []byte(nsysLength)) || bytes.Contains(head, []byte(nsysTotal)))
}

func isNsightJSON(head []byte) bool {
	return isKineto(head) && (bytes.Contains(head, []byte(`"`+nsysLength+`"`)) || bytes.Contains(head, []byte(`"`+nsysTotal+`"`)))
}

// readNsightCSV reads a table of nsys stats. What it prints before the header is
// skipped.
func readNsightCSV(r *bufio.Reader) (*recording, error) {
	out := new(recording)
	for {
		head, err := r.Peek(1 << 12)
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			return out, errors.Join(err, errors.New("no line with the columns"))
		}
		if line := head[:end]; bytes.Contains(line, []byte(nsysName)) && bytes.Contains(line, []byte("(ns)")) {
			break
		}
		_, _ = r.Discard(end + 1)
	}
	values := intake.NewValues("the table", r, mostValue)
	rows := csv.NewReader(values)
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	header, err := rows.Read()
	if err != nil {
		return out, err
	}
	for {
		values.Next()
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		fields := map[string]string{}
		for i, column := range header {
			if i < len(row) {
				fields[column] = row[i]
			}
		}
		if err := out.nsys(fields); err != nil {
			return out, err
		}
	}
}

func readNsightJSON(r *bufio.Reader) (*recording, error) {
	out := new(recording)
	values := intake.NewValues("the table", r, mostValue)
	decoder := json.NewDecoder(values)
	if open, err := decoder.Token(); err != nil || open != json.Delim('[') {
		return out, errors.Join(err, errors.New("want a list of rows"))
	}
	for decoder.More() {
		values.Next()
		var row map[string]any
		if err := decoder.Decode(&row); err != nil {
			return out, err
		}
		fields := map[string]string{}
		for column, v := range row {
			switch v := v.(type) {
			case string:
				fields[column] = v
			case float64:
				fields[column] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		if err := out.nsys(fields); err != nil {
			return out, err
		}
	}
	_, err := decoder.Token()
	return out, err
}

// nsys adds one row of a table.
func (r *recording) nsys(fields map[string]string) error {
	name := fields[nsysName]
	if name == "" {
		return nil // a blank line between two tables
	}
	number := func(column string) (float64, error) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(fields[column], ",", ""), 64)
		if err != nil {
			return 0, fmt.Errorf("%s of %q: got %q, want a number", column, name, fields[column])
		}
		return v, nil
	}
	e := event{name: name, class: nsysClass(name)}
	if _, timed := fields[nsysStart]; timed {
		begin, err := number(nsysStart)
		length, other := number(nsysLength)
		if err := errors.Join(err, other); err != nil {
			return err
		}
		e.begin, e.end = begin, begin+length
	} else {
		total, err := number(nsysTotal)
		count, other := number(nsysCount)
		if err := errors.Join(err, other); err != nil {
			return err
		}
		if !(count >= 0 && count <= math.MaxInt32) {
			return fmt.Errorf("%s of %q: got %v, want a number of kernels", nsysCount, name, count)
		}
		e.end, e.count, r.summed = total, int(count), true
	}
	return r.add(e)
}

func nsysClass(name string) string {
	lower := strings.ToLower(name)
	switch {
	case communication.MatchString(name):
		return classComm
	case strings.HasPrefix(lower, "[cuda memcpy"), strings.HasPrefix(lower, "[cuda memset"):
		return classCopy
	}
	return classCompute
}

// isNsightLines: nsys export --type jsonlines begins with the table of its strings.
func isNsightLines(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return bytes.HasPrefix(line, []byte("{")) && !bytes.Contains(line, []byte("traceEvents")) &&
		(bytes.Contains(head, []byte(`"CudaEvent"`)) || bytes.HasPrefix(bytes.ReplaceAll(line, []byte(" "), nil), []byte(`{"data":[`)))
}

// A nsightLine is one line of the export. Numbers come as text or as numbers.
type nsightLine struct {
	Data []string `json:"data"`
	Cuda *struct {
		Begin  nsightNumber `json:"startNs"`
		End    nsightNumber `json:"endNs"`
		Class  int          `json:"eventClass"`
		Kernel *struct {
			Name nsightNumber `json:"shortName"`
		} `json:"kernel"`
	} `json:"CudaEvent"`
}

type nsightNumber float64

func (n *nsightNumber) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = nsightNumber(v)
	return err
}

// The classes of its CUDA events.
const (
	nsightMemcpy = 1
	nsightMemset = 2
	nsightKernel = 3
)

func readNsightLines(r *bufio.Reader) (*recording, error) {
	out := new(recording)
	var names []string
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), mostNames) // the first line is the table of all strings
	for lines.Scan() {
		var line nsightLine
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return out, err
		}
		if len(line.Data) > 0 {
			names = line.Data
		}
		if e, ok := line.event(names); ok {
			if err := out.add(e); err != nil {
				return out, err
			}
		}
	}
	return out, lines.Err()
}

// event is what the line says that a device did; false for what is of no interest.
func (l nsightLine) event(names []string) (event, bool) {
	c := l.Cuda
	if c == nil {
		return event{}, false
	}
	e := event{begin: float64(c.Begin), end: float64(c.End), name: "[CUDA memcpy]", class: classCopy}
	switch {
	case c.Class == nsightMemset:
		e.name = "[CUDA memset]"
	case c.Class == nsightKernel && c.Kernel != nil:
		at := float64(c.Kernel.Name)
		e.name = fmt.Sprintf("kernel %.0f", at)
		if 0 <= at && at < float64(len(names)) {
			e.name = names[int(at)]
		}
		e.class = nsysClass(e.name)
	case c.Class != nsightMemcpy:
		return event{}, false
	}
	return e, true
}
