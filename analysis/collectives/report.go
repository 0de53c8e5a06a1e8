// Package collectives says what collective operations cost: bandwidth by size as
// nccl-tests counts it, the model that predicts it, how steady it is, which
// algorithm is best, and which link or rank falls behind.
//
// The time of a collective is its slowest rank's. Averages over sizes do not exist
// here: they mean nothing.
package collectives

import (
	"assay/finding"
	"assay/stats"
)

// Version is the version of the format of collectives.json.
const Version = "1.0"

// A Report is what the collectives of a bundle say: derived/VERSION/collectives.json.
type Report struct {
	Version    string            `json:"version"`
	Rows       []Row             `json:"rows"`
	Fits       []Fit             `json:"fits,omitempty"`
	Stability  []Stability       `json:"stability,omitempty"`
	Chunking   []Chunking        `json:"chunking,omitempty"`
	Algorithms []Algorithms      `json:"algorithms,omitempty"`
	Matrices   []Matrix          `json:"matrices,omitempty"`
	Ranks      []Rank            `json:"ranks,omitempty"`
	Link       *Link             `json:"link,omitempty"`
	Findings   []finding.Finding `json:"findings,omitempty"`
}

// A Row is one operation at one size. Estimates are over launches, of the median
// over iterations, each iteration being its slowest rank's.
type Row struct {
	Point     int             `json:"point"`
	Op        string          `json:"op"`
	Backend   string          `json:"backend"`
	Asked     string          `json:"asked"`     // the algorithm as the plan asks for it: auto, or its name
	Algorithm string          `json:"algorithm"` // as carried out
	Ranks     int             `json:"ranks"`
	Bytes     int64           `json:"bytes"`
	Count     int64           `json:"count"` // elements, as nccl-tests prints it
	DataType  string          `json:"dataType"`
	InPlace   bool            `json:"inPlace"`
	Emulated  string          `json:"emulated,omitempty"`
	Time      stats.Estimate  `json:"time"`            // seconds
	AlgBW     *stats.Estimate `json:"algBW,omitempty"` // bytes per second; nil for a barrier
	BusBW     *stats.Estimate `json:"busBW,omitempty"` // nil for one rank and for a barrier
	P99       *float64        `json:"p99,omitempty"`   // of all iterations, seconds; nil when too few
	Wrong     int64           `json:"wrong"`
	Checked   bool            `json:"checked"`
	Samples   int             `json:"samples"` // iterations in all launches
}

// A Fit is the model T(S) = α + S/β of one operation.
type Fit struct {
	Op        string      `json:"op"`
	Algorithm string      `json:"algorithm"`
	Ranks     int         `json:"ranks"`
	InPlace   bool        `json:"inPlace"`
	Alpha     float64     `json:"alpha"`              // seconds
	Beta      float64     `json:"beta"`               // bytes per second
	Half      float64     `json:"half"`               // α·β, the size of half bandwidth
	Residual  float64     `json:"residual"`           // worst, relative
	Usable    bool        `json:"usable"`             // whether it may predict
	Segments  []Segment   `json:"segments,omitempty"` // two where one line does not fit
	Rule      string      `json:"rule"`
	Predicted []Predicted `json:"predicted,omitempty"`
	Refused   string      `json:"refused,omitempty"` // why it may not
}

// A Segment is the model over part of the sizes.
type Segment struct {
	From     int64   `json:"from"`
	To       int64   `json:"to"`
	Alpha    float64 `json:"alpha"`
	Beta     float64 `json:"beta"`
	Residual float64 `json:"residual"`
}

// A Predicted is a size that was left out of the fit, and what the fit said of it.
type Predicted struct {
	Bytes    int64   `json:"bytes"`
	Expected float64 `json:"expected"` // seconds
	Measured float64 `json:"measured"`
}

// A Stability is how steady one payload was.
type Stability struct {
	Op         string    `json:"op"`
	Algorithm  string    `json:"algorithm"`
	Ranks      int       `json:"ranks"`
	Bytes      int64     `json:"bytes"`
	Iterations int       `json:"iterations"`
	P50        float64   `json:"p50"` // seconds
	P99        float64   `json:"p99"`
	SlowTail   float64   `json:"slowTail"` // p99/p50 of latency
	CV         float64   `json:"cv"`
	Class      string    `json:"class"`            // excellent, good, moderate_jitter, high_jitter
	Series     []float64 `json:"series,omitempty"` // seconds, thinned for drawing
}

// A Chunking compares one call with many small ones of the same bytes in all.
type Chunking struct {
	Op     string         `json:"op"`
	Ranks  int            `json:"ranks"`
	Bytes  int64          `json:"bytes"`
	Chunks int            `json:"chunks"`
	Whole  stats.Estimate `json:"whole"` // seconds
	Cut    stats.Estimate `json:"cut"`
	Ratio  stats.Estimate `json:"ratio"` // cut over whole
}

// Algorithms compares those of one operation at one size.
type Algorithms struct {
	Op      string             `json:"op"`
	Ranks   int                `json:"ranks"`
	Bytes   int64              `json:"bytes"`
	BusBW   map[string]float64 `json:"busBW"`
	Best    string             `json:"best"`
	Spread  float64            `json:"spread"`            // (best − worst)/best
	AutoGap *float64           `json:"autoGap,omitempty"` // (best − auto)/best
}

// A Matrix is what every two ranks measured, from the row's to the column's rank.
type Matrix struct {
	Launch    int         `json:"launch"`
	Ranks     int         `json:"ranks"`
	Hosts     []string    `json:"hosts"`
	Latency   [][]float64 `json:"latency,omitempty"`   // seconds, half a round trip; 0 on the diagonal
	Bandwidth [][]float64 `json:"bandwidth,omitempty"` // bytes per second
	Groups    [][]int     `json:"groups,omitempty"`    // ranks that are near each other
	Guess     string      `json:"guess,omitempty"`     // the topology in words
}

// A Rank is how one rank kept up.
type Rank struct {
	Rank     int      `json:"rank"`
	Host     string   `json:"host,omitempty"`
	Last     float64  `json:"last"`               // share of collectives that it entered last, beyond the bound
	Lateness *float64 `json:"lateness,omitempty"` // median, seconds; nil when clocks are not aligned
	Own      float64  `json:"own"`                // median of its own time against the median rank's
	Outlier  bool     `json:"outlier"`
}

// A Link is what bandwidth is held against.
type Link struct {
	Rate   float64 `json:"rate"` // one way, bytes per second
	Source string  `json:"source"`
	Best   float64 `json:"best"`  // bus bandwidth reached
	Share  float64 `json:"share"` // of the rate
}
