package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const perftestWants = "the file of --out_json --out_json_file of a program of perftest, such as ib_write_bw"

// Perftest reads what ib_write_bw, ib_send_lat and their siblings measured.
var Perftest = Tool{
	Name: "perftest",
	Doc:  "files of --out_json --out_json_file of ib_write_bw, ib_send_lat and the like; files of one test and size become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.Contains(head, []byte("test_info")) && bytes.Contains(head, []byte("results")) &&
			(bytes.Contains(head, []byte("BW_average")) || bytes.Contains(head, []byte("t_avg")) || bytes.Contains(head, []byte("bw_avg")) || bytes.Contains(head, []byte("MsgRate")))
	},
	Read: readPerftest,
}

// Two of perftest's modes write what is not JSON: a name without quotes (QoS), and a
// comma before a closing brace (--output).
var (
	bareName   = regexp.MustCompile(`([{,]\s*)([A-Za-z_]\w*)\s*:`)
	lastComma  = regexp.MustCompile(`,(\s*[}\]])`)
	perftestIs = map[string]struct {
		statistic string
		factor    float64
		unit      unit.Unit
		means     string
	}{
		"BW_peak":         {"max", 1 << 20, unit.BytePerSecond, "highest bandwidth of an iteration"},
		"BW_average":      {"mean", 1 << 20, unit.BytePerSecond, "bytes / time over all iterations"},
		"bw_avg":          {"mean", 1 << 20, unit.BytePerSecond, "bytes / time over all iterations"},
		"MsgRate":         {"mean", 1e6, unit.OpPerSecond, "messages / time"},
		"msgRate_avg":     {"mean", 1e6, unit.OpPerSecond, "messages / time"},
		"t_min":           {"min", 1e-6, unit.Second, "half a round trip"},
		"t_max":           {"max", 1e-6, unit.Second, "half a round trip"},
		"t_typical":       {"p50", 1e-6, unit.Second, "half a round trip"},
		"t_avg":           {"mean", 1e-6, unit.Second, "half a round trip"},
		"t_stdev":         {"sd", 1e-6, unit.Second, "half a round trip"},
		"percentile_99":   {"p99", 1e-6, unit.Second, "half a round trip"},
		"percentile_99.9": {"p99.9", 1e-6, unit.Second, "half a round trip"},
		"tps_average":     {"mean", 1, unit.OpPerSecond, "transactions / time"},
		"CPU_util":        {"value", .01, unit.Ratio, "processor time / time"},
	}
)

func readPerftest(paths []string) (m Import, err error) {
	if m, err = begin("perftest", paths, perftestWants); err != nil {
		return m, err
	}
	var all []summary
	for _, file := range m.Files {
		var read struct {
			Info    map[string]any  `json:"test_info"`
			Results json.RawMessage `json:"results"`
		}
		mended := lastComma.ReplaceAll(bareName.ReplaceAll(file.Data, []byte(`$1"$2":`)), []byte("$1"))
		if err := decodeJSON(file.Name, mended, &read, perftestWants); err != nil {
			return m, err
		}
		if !bytes.Equal(mended, file.Data) && !json.Valid(file.Data) {
			m.Source.Notes = append(m.Source.Notes, file.Name+" is not JSON as perftest wrote it: a name without quotes or a comma too many was mended")
		}
		rows, err := perftestRows(read.Results)
		if err != nil || len(rows) == 0 {
			return m, fmt.Errorf("%s: results %.40q are neither one row nor a list of them; want %s", file.Name, read.Results, perftestWants)
		}
		for _, row := range rows {
			all = append(all, perftestSummary(read.Info, row))
		}
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("perftest", "none", m.Points)
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "summaries over iterations"},
		{ID: bundle.GapWarmup, Detail: "what was left out at the beginning is not reported"},
		{ID: bundle.GapHost, Detail: "the hosts and their switches are not described"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "measured once; pass several files to make them launches"})
	}
	return m, nil
}

// perftestRows reads one row, or the rows of a sweep.
func perftestRows(raw json.RawMessage) (rows []map[string]any, err error) {
	if json.Unmarshal(raw, &rows) == nil {
		return rows, nil
	}
	var one map[string]any
	err = json.Unmarshal(raw, &one)
	return []map[string]any{one}, err
}

func perftestSummary(info, row map[string]any) (s summary) {
	name, _ := info["test"].(string)
	if name == "" {
		name = "perftest"
	}
	s.point.Name = name
	if size, ok := row["MsgSize"].(float64); ok {
		s.point.Name += fmt.Sprintf(" size=%.0f", size)
	}
	// Bandwidths are MiB/s, unless --report_gbits was given, which the file names.
	gigabits := false
	for key, value := range info {
		gigabits = gigabits || key == "BW_unit" && fmt.Sprint(value) == "Gb/sec" || key == "report_gbits" && fmt.Sprint(value) != "0" && fmt.Sprint(value) != "false"
	}
	s.measured.Duration = time.Second
	for _, key := range []string{"BW_peak", "BW_average", "bw_avg", "MsgRate", "msgRate_avg", "t_min", "t_typical", "t_avg", "t_stdev", "percentile_99", "percentile_99.9", "t_max", "tps_average", "CPU_util"} {
		value, ok := row[key].(float64)
		if !ok {
			continue
		}
		is := perftestIs[key]
		if is.unit == unit.BytePerSecond && gigabits {
			is.factor = 1e9 / 8
		}
		s.measured.Reported = append(s.measured.Reported, record.Reported{Name: key, Statistic: is.statistic, Value: value * is.factor, Unit: string(is.unit), Definition: is.means})
	}
	return s
}
