package foreign

import (
	"bytes"
	"fmt"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const fioWants = "what fio --output-format=json wrote"

// Fio reads what fio measured.
var Fio = Tool{
	Name: "fio",
	Doc:  "files of fio --output-format=json; jobs of one name and kind of access become launches",
	Claims: func(path string) bool {
		return bytes.Contains(Head(path), []byte(`"fio version"`))
	},
	Read: readFio,
}

type fioFile struct {
	Version   string `json:"fio version"`
	Timestamp int64
	Global    map[string]string `json:"global options"`
	Jobs      []fioJob
}

type fioJob struct {
	Name    string            `json:"jobname"`
	Error   int               `json:"error"`
	Options map[string]string `json:"job options"`
	Read    fioSide
	Write   fioSide
	Trim    fioSide
	Sync    struct {
		Latency fioTimes `json:"lat_ns"`
	}
}

// A fioSide is reads, writes or trims.
type fioSide struct {
	Bytes   float64  `json:"io_bytes"`
	Rate    float64  `json:"bw_bytes"`
	IOPS    float64  `json:"iops"`
	Runtime float64  // ms
	Total   float64  `json:"total_ios"`
	Latency fioTimes `json:"clat_ns"`
}

type fioTimes struct {
	Mean        float64
	Samples     float64            `json:"N"`
	Percentiles map[string]float64 `json:"percentile"`
}

func readFio(paths []string) (m Import, err error) {
	if m, err = begin("fio", paths, fioWants); err != nil {
		return m, err
	}
	var all []summary
	for i, file := range m.Files {
		var read fioFile
		if err := file.JSON(&read, fioWants); err != nil {
			return m, err
		}
		if i == 0 {
			m.Source.Version = read.Version
			if read.Timestamp > 0 {
				m.Started = time.Unix(read.Timestamp, 0)
			}
		}
		for _, job := range read.Jobs {
			if job.Error != 0 {
				m.Source.Notes = append(m.Source.Notes, fmt.Sprintf("FAILED %s: job %s ended with error %d", file.Name, job.Name, job.Error))
			}
			all = append(all, job.summaries(read.Global)...)
		}
	}
	if len(all) == 0 {
		return m, fmt.Errorf("%s: no job has read or written anything; want %s", m.Files[0].Name, fioWants)
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("fio", "none", m.Points)
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "summaries of each job; single operations are in its log files"},
		{ID: bundle.GapWarmup, Detail: "what ramp_time left out is not reported"},
		{ID: bundle.GapHost, Detail: "neither the file system nor the disk is described"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "measured once; pass several files to make them launches"})
	}
	return m, nil
}

// summaries are the kinds of access that a job has made.
func (j fioJob) summaries(global map[string]string) (list []summary) {
	option := func(name string) string {
		if v := j.Options[name]; v != "" {
			return v
		}
		return global[name]
	}
	for _, side := range []struct {
		name string
		of   fioSide
	}{{"read", j.Read}, {"write", j.Write}, {"trim", j.Trim}} {
		if side.of.Total <= 0 {
			continue
		}
		s := summary{point: Point{Name: j.Name + " " + side.name}}
		for _, name := range []string{"bs", "iodepth", "numjobs", "direct"} {
			if v := option(name); v != "" {
				s.point.Name += " " + name + "=" + v
			}
		}
		s.measured.Duration = time.Duration(max(0, min(side.of.Runtime, 1e12)) * 1e6)
		add := func(name, statistic string, v float64, u unit.Unit, means string) {
			s.measured.Reported = append(s.measured.Reported, record.Reported{Name: name, Statistic: statistic, Value: v, Unit: string(u), Definition: means})
		}
		add(side.name+".bw_bytes", "value", side.of.Rate, unit.BytePerSecond, "bytes / runtime of the job")
		add(side.name+".iops", "value", side.of.IOPS, unit.OpPerSecond, "operations / runtime of the job")
		if side.of.Latency.Samples > 0 {
			add(side.name+".clat_ns", "mean", side.of.Latency.Mean/1e9, unit.Second, "from the submission of an operation to its completion")
		}
		for _, p := range []struct{ key, name string }{{"50.000000", "p50"}, {"99.000000", "p99"}, {"99.900000", "p99.9"}} {
			if v, ok := side.of.Latency.Percentiles[p.key]; ok {
				add(side.name+".clat_ns", p.name, v/1e9, unit.Second, "upper end of a bucket of fio's histogram")
			}
		}
		if j.Sync.Latency.Samples > 0 {
			add("sync.lat_ns", "mean", j.Sync.Latency.Mean/1e9, unit.Second, "of fsync, fdatasync and their like")
		}
		list = append(list, s)
	}
	return list
}
