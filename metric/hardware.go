package metric

import (
	"strings"

	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// The metrics of probes: one figure for each part of a host, of many that
// hardware.json holds.
var (
	MemoryBandwidth = probed("memory_bandwidth.v1", "memory bandwidth", unit.BytePerSecond, Higher, "memory", "triad", bytesOf,
		"STREAM's triad at the most threads: bytes that the program reads and writes, without what the hardware reads before it writes.")
	MatmulFLOPS = probed("matmul_flops.v1", "matmul, float32", unit.FLOPPerSecond, Higher, "matmul", "float32", flopOf,
		"Products of square float32 matrices at the most threads or on the device: 2n³ operations each. On a processor by assay's own kernels; a vendor's library may be faster.")
	DiskRead = probed("disk_read_bandwidth.v1", "disk, sequential read", unit.BytePerSecond, Higher, "disk", "sequential read", bytesOf,
		"Reads of 1 MiB in order by one thread, one at a time, past the page cache where the file system allows it.")
	DiskWrite = probed("disk_write_bandwidth.v1", "disk, sequential write", unit.BytePerSecond, Higher, "disk", "sequential write", bytesOf,
		"Writes of 1 MiB in order by one thread, one at a time, past the page cache where the file system allows it.")
	DiskRandomRead = probed("disk_random_read_rate.v1", "disk, random reads", unit.OpPerSecond, Higher, "disk", "random read", operationsOf,
		"Reads of 4 KiB at random places at the most threads, one at a time on each.")
	FsyncLatency = probed("fsync_latency.v1", "fsync", unit.Second, Lower, "disk", "fsync", nil,
		"A write of 4 KiB and an fsync, until it returns.")
	NetworkBandwidth = probed("network_bandwidth.v1", "network, sent", unit.BytePerSecond, Higher, "network", "send", bytesOf,
		"TCP payload over all streams, from the first write until the receiver has said that it has the last byte.")
	NetworkLatency = probed("network_latency.v1", "network, round trip", unit.Second, Lower, "network", "round trip", nil,
		"64 bytes there and back over TCP, program to program.")
	StartupTime = probed("process_startup.v1", "process start", unit.Second, Lower, "startup", "process", nil,
		"A process that does nothing, from the call that starts it until its end is known.")
	LoaderRate = probed("dataloader_rate.v1", "samples loaded", unit.OpPerSecond, Higher, "dataloader", "batches", operationsOf,
		"Samples of 4 KiB read from shards in shuffled order, checked, turned into float32 and gathered into batches, at the most threads.")
	probeMetrics = []Metric{
		MemoryBandwidth, MatmulFLOPS, DiskRead, DiskWrite, DiskRandomRead, FsyncLatency, NetworkBandwidth, NetworkLatency, StartupTime, LoaderRate,
	}
)

// probed is the median of a variant's replicates: of what is counted over the time,
// or of the time of one operation where nothing is counted.
func probed(id, name string, u unit.Unit, better Direction, probe, variant string, counted func(record.Trial) float64, doc string) Metric {
	return Metric{
		ID: id, Name: name, Unit: u, Better: better, Doc: doc + " The median of the replicates.", Scope: Scope{Kinds: []plan.Kind{plan.KindProbe}, Only: []Condition{Telemetry}},
		Of: Whole(func(p *Point) (float64, bool) {
			if p.Ranked == nil {
				return 0, false
			}
			var most int32
			values := map[int32][]float64{} // by threads
			for _, t := range p.Ranked.Trials {
				taken := seconds(t.End - t.Start)
				if t.Phase != record.Measure || t.Probe != probe || !strings.HasPrefix(t.Variant, variant) || taken <= 0 || t.Operations == 0 {
					continue
				}
				v := taken / float64(t.Operations)
				if counted != nil {
					v = counted(t) / taken
				}
				values[t.Threads], most = append(values[t.Threads], v), max(most, t.Threads)
			}
			return stats.Middle(values[most]), len(values) > 0
		}),
	}
}

func bytesOf(t record.Trial) float64      { return float64(t.Bytes) }
func operationsOf(t record.Trial) float64 { return float64(t.Operations) }

func flopOf(t record.Trial) float64 {
	if t.FLOP == nil {
		return 0
	}
	return *t.FLOP
}
