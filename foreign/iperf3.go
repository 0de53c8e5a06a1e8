package foreign

import (
	"bytes"
	"fmt"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const iperfWants = "what iperf3 -J printed, from its first brace to its last"

// Iperf3 reads what iperf3 measured.
var Iperf3 = Tool{
	Name: "iperf3",
	Doc:  "files of iperf3 -J; files of one protocol, direction and number of streams become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.Contains(head, []byte(`"test_start"`)) && bytes.Contains(head, []byte(`"tcp_mss_default"`)) ||
			bytes.Contains(head, []byte(`"start"`)) && bytes.Contains(head, []byte(`"version":	"iperf 3`)) ||
			bytes.Contains(head, []byte(`"version": "iperf 3`))
	},
	Read: readIperf3,
}

// An iperfFile is what -J writes, in the parts that are read.
type iperfFile struct {
	Error string
	Start struct {
		Version   string
		Timestamp struct{ Timesecs int64 }
		Test      struct {
			Protocol string
			Streams  int `json:"num_streams"`
			Reverse  int
			Bitrate  float64 `json:"target_bitrate"`
			Block    float64 `json:"blksize"`
			Omit     float64
		} `json:"test_start"`
	}
	Intervals []struct{ Sum iperfSum }
	End       struct {
		Streams []struct {
			Sender struct {
				Mean *float64 `json:"mean_rtt"` // µs
				Most *float64 `json:"max_rtt"`
			}
		}
		Sent       *iperfSum `json:"sum_sent"`
		Received   *iperfSum `json:"sum_received"`
		Sum        *iperfSum
		Sending    string `json:"sender_tcp_congestion"`
		Processors struct {
			Host   *float64 `json:"host_total"`
			Remote *float64 `json:"remote_total"`
		} `json:"cpu_utilization_percent"`
	}
}

type iperfSum struct {
	Seconds     float64
	Bits        *float64 `json:"bits_per_second"`
	Retransmits *float64
	Jitter      *float64 `json:"jitter_ms"`
	Lost        *float64 `json:"lost_percent"`
	Omitted     bool
}

func readIperf3(paths []string) (m Import, err error) {
	if m, err = begin("iperf3", paths, iperfWants); err != nil {
		return m, err
	}
	var all []summary
	for i, file := range m.Files {
		var read iperfFile
		if err := file.JSON(&read, iperfWants); err != nil {
			return m, err
		}
		if read.Error != "" {
			return m, fmt.Errorf("%s: iperf3 failed: %s", file.Name, read.Error)
		}
		one, err := read.summary()
		if err != nil {
			return m, fmt.Errorf("%s: %w; want %s", file.Name, err, iperfWants)
		}
		all = append(all, one)
		if i == 0 {
			m.Source.Version = read.Start.Version
			if read.Start.Timestamp.Timesecs > 0 {
				m.Started = time.Unix(read.Start.Timestamp.Timesecs, 0)
			}
			if read.End.Sending != "" {
				m.Environment.Set("iperf3.congestion_control", read.End.Sending)
			}
		}
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("iperf3", "none", m.Points)
	m.Source.Notes = []string{"throughput is what was received: what was sent counts bytes that are still on their way"}
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "rates of intervals alone; single writes are not stamped"},
		{ID: bundle.GapWarmup, Detail: "slow start is part of the figures unless --omit was given"},
		{ID: bundle.GapHost, Detail: "interfaces, link speed and MTU are not reported"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "measured once; pass several files to make them launches"})
	}
	return m, nil
}

// summary is one file as a point. TCP's sum_received says sender: true in 3.12, and
// UDP's end.sum is the rate that was sent: sum_received is right for both.
func (f iperfFile) summary() (s summary, err error) {
	test := f.Start.Test
	if f.End.Received == nil || f.End.Received.Bits == nil || test.Protocol == "" {
		return s, fmt.Errorf("no sum_received at its end: the test did not end")
	}
	direction := "sent"
	if test.Reverse != 0 {
		direction = "received"
	}
	s.point.Name = fmt.Sprintf("%s %s, %d streams", test.Protocol, direction, test.Streams)
	if test.Bitrate > 0 {
		s.point.Name += fmt.Sprintf(", asked for %g Mbit/s", test.Bitrate/1e6)
	}
	s.measured.Duration = time.Duration(min(f.End.Received.Seconds, 1e9) * 1e9)
	add := func(name string, v *float64, factor float64, u unit.Unit, means string) {
		if v != nil {
			s.measured.Reported = append(s.measured.Reported, record.Reported{Name: name, Statistic: "value", Value: *v * factor, Unit: string(u), Definition: means})
		}
	}
	add("sum_received.bits_per_second", f.End.Received.Bits, 1./8, unit.BytePerSecond, "bytes that arrived / time of the test")
	if f.End.Sent != nil {
		add("sum_sent.bits_per_second", f.End.Sent.Bits, 1./8, unit.BytePerSecond, "bytes handed to the kernel / time of the test")
		add("sum_sent.retransmits", f.End.Sent.Retransmits, 1, unit.Ratio, "segments that the sender sent again")
	}
	add("sum_received.jitter_ms", f.End.Received.Jitter, 1e-3, unit.Second, "jitter as in RFC 1889, at the receiver")
	add("sum_received.lost_percent", f.End.Received.Lost, .01, unit.Ratio, "datagrams that did not arrive, of those sent")
	for i, one := range f.End.Streams {
		add(fmt.Sprintf("stream %d mean_rtt", i), one.Sender.Mean, 1e-6, unit.Second, "mean of the kernel's smoothed round-trip time, read once an interval; under load it is the queue's")
	}
	for i, one := range f.Intervals {
		if !one.Sum.Omitted {
			add(fmt.Sprintf("interval %d bits_per_second", i), one.Sum.Bits, 1./8, unit.BytePerSecond, "bytes of the interval / its time, at the side that wrote the file")
		}
	}
	add("host_total", f.End.Processors.Host, .01, unit.Ratio, "processor time of this side / time")
	add("remote_total", f.End.Processors.Remote, .01, unit.Ratio, "processor time of the other side / time")
	return s, nil
}
