package exam

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay/intake"
)

// eachLine reads a file of JSON lines, packed by gzip or not, into rows of one type.
func eachLine[T any](path string, each func(number int, row T) error) error {
	data, err := readAll(path)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(make([]byte, 0, 64<<10), 64<<20)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := each(number, row); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return lines.Err()
}

// readAll reads a file, unpacked where its name ends in .gz.
func readAll(path string) ([]byte, error) {
	data, err := intake.ReadFile(path, mostFile)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return data, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(unpacked, mostFile+1))
	if err == nil && len(data) > mostFile {
		err = fmt.Errorf("more than %d bytes unpacked", mostFile)
	}
	return data, err
}
