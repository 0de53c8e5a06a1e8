package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLine is the longest line that is read. A step with a thousand buckets has about
// 80 kB; what is longer than this is not ours.
const maxLine = 4 << 20

var errTooLong = fmt.Errorf("line of more than %d bytes", maxLine)

// Mono is CLOCK_MONOTONIC of this host and time namespace in nanoseconds.
func Mono() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // cannot happen: the clock is always there
	}
	return ts.Nano()
}

// readLine returns the next line without its end, good until the next call. A line
// that is too long is skipped and reported as errTooLong.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		// A last line without its end was cut off on its way.
		return nil, err
	}
	long := bytes.Clone(line)
	for {
		line, err = r.ReadSlice('\n')
		if len(long) <= maxLine {
			long = append(long, line...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case len(long) > maxLine:
			return nil, errTooLong
		default:
			return long[:len(long)-1], nil
		}
	}
}

// decode reads one line. Fields that this version does not know are kept in Extra;
// the look for them costs a second pass, so it is only taken where there are any.
func decode(data []byte) (Line, error) {
	var line Line
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&line); err == nil {
		if _, err := strict.Token(); err != io.EOF {
			return Line{}, errors.New("more than one value in a line")
		}
		return line, nil
	}
	line = Line{}
	if err := json.Unmarshal(data, &line); err != nil {
		return Line{}, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return Line{}, err
	}
	for name, value := range all {
		if !fieldsOfLine[name] {
			if line.Extra == nil {
				line.Extra = map[string]json.RawMessage{}
			}
			line.Extra[name] = value
		}
	}
	return line, nil
}

// fieldsOfLine are the keys that a Line has.
var fieldsOfLine = func() map[string]bool {
	fields := map[string]bool{}
	for i := range reflect.TypeFor[Line]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Line]().Field(i).Tag.Get("json"), ",")
		fields[name] = true
	}
	return fields
}()

// encode is one line with its end.
func encode(line Line) ([]byte, error) {
	line.V = ProtocolVersion
	data, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	if len(data) > maxLine {
		return nil, errTooLong
	}
	return append(data, '\n'), nil
}
