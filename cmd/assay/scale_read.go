package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"assay/analysis/scaling"
	"assay/intake"
)

// numbers reads values separated by commas.
func numbers(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var list []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want numbers separated by commas", part)
		}
		list = append(list, v)
	}
	return list, nil
}

// readStudy reads a study from a JSON file, or its points from a CSV file. Flags that
// were given say it against the file.
func readStudy(s *scaling.Study, args []string) error {
	if len(args) > 1 {
		return usageError(fmt.Errorf("got %d files, want one CSV or JSON file, or WORKERS=BUNDLE for each size", len(args)))
	}
	if filepath.Ext(args[0]) == ".json" {
		return readStudyJSON(s, args[0])
	}
	points, err := readStudyCSV(args[0])
	s.Points = points
	return err
}

func readStudyJSON(s *scaling.Study, path string) error {
	data, err := intake.ReadFile(path, mostList)
	if err != nil {
		return err
	}
	var file scaling.Study
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.Kind, s.Quantity, s.Baseline = cmp.Or(s.Kind, file.Kind), cmp.Or(s.Quantity, file.Quantity), cmp.Or(s.Baseline, file.Baseline)
	s.Points, s.Unit, s.BaseName, s.Confidence = file.Points, file.Unit, file.BaseName, file.Confidence
	if s.Single == nil {
		s.Single = file.Single
	}
	if s.Prices == nil {
		s.Prices = file.Prices
	}
	if s.Predict == nil {
		s.Predict = file.Predict
	}
	if file.Threshold > 0 && s.Threshold == scaling.DefaultThreshold {
		s.Threshold = file.Threshold
	}
	return nil
}

// readStudyCSV reads workers and values, one launch a line.
func readStudyCSV(path string) ([]scaling.Point, error) {
	file, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(intake.Bounded(path, file, mostList)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) < 2 {
		return nil, fmt.Errorf("%s: want a heading and one line for each launch", path)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[strings.TrimSpace(strings.ToLower(name))] = i
	}
	for _, name := range []string{"workers", "value"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("%s: no column %q in the heading %v", path, name, lines[0])
		}
	}
	return pointsOf(filepath.Base(path), lines[1:], column)
}

func pointsOf(file string, lines [][]string, column map[string]int) ([]scaling.Point, error) {
	at := map[int]int{}
	var points []scaling.Point
	for i, line := range lines {
		cell := func(name string) (float64, error) {
			c, ok := column[name]
			if !ok || strings.TrimSpace(line[c]) == "" {
				return math.NaN(), nil
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(line[c]), 64)
			if err != nil {
				return 0, fmt.Errorf("%s line %d: %s is %q, want a number", file, i+2, name, line[c])
			}
			return v, nil
		}
		var v [8]float64
		for j, name := range []string{"workers", "value", "batch", "communication", "samples", "throughput", "steps", "seconds"} {
			var err error
			if v[j], err = cell(name); err != nil {
				return nil, err
			}
		}
		workers := int(v[0])
		if float64(workers) != v[0] {
			return nil, fmt.Errorf("%s line %d: workers is %v, want a whole number", file, i+2, line[column["workers"]])
		}
		k, ok := at[workers]
		if !ok {
			k = len(points)
			at[workers] = k
			points = append(points, scaling.Point{Workers: workers})
		}
		p := &points[k]
		p.Values = append(p.Values, v[1])
		if !math.IsNaN(v[2]) {
			p.Batch = v[2]
		}
		if !math.IsNaN(v[3]) {
			p.Communication = &v[3]
		}
		if !math.IsNaN(v[4]) {
			p.Samples = append(p.Samples, v[4])
		}
		if !math.IsNaN(v[5]) {
			p.Rate = append(p.Rate, v[5])
		}
		if w := (scaling.Window{Steps: int(filled(v[6])), Seconds: filled(v[7])}); w != (scaling.Window{}) {
			p.Window = &w
		}
		if c, ok := column["software"]; ok {
			name := strings.TrimSpace(line[c])
			if p.Software != "" && p.Software != name {
				return nil, fmt.Errorf("%s line %d: software is %q, and %q in another launch of %d workers: launches of one size must be of one release", file, i+2, name, p.Software, workers)
			}
			p.Software = name
		}
	}
	return points, nil
}

// filled is v, or zero for a cell that is empty.
func filled(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
