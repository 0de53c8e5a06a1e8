package record

// A Step is one training step of one rank: one row of the table steps. A phase
// that was not measured is null.
type Step struct {
	Rank      int32    `parquet:"rank,delta"`
	Step      int64    `parquet:"step,delta"`
	Point     int32    `parquet:"point,delta"`
	Phase     Phase    `parquet:"phase,dict"`
	Start     int64    `parquet:"start_ns,delta"`
	End       int64    `parquet:"end_ns,delta"`
	Data      *int64   `parquet:"data_ns"`
	H2D       *int64   `parquet:"h2d_ns"`
	Forward   *int64   `parquet:"forward_ns"`
	Backward  *int64   `parquet:"backward_ns"`
	Optimizer *int64   `parquet:"optimizer_ns"`
	GPUBusy   *int64   `parquet:"gpu_busy_ns"`
	Comm      *int64   `parquet:"comm_ns"`
	Synced    bool     `parquet:"synced"` // false for a step run without gradient exchange
	Samples   int64    `parquet:"samples,delta"`
	Tokens    int64    `parquet:"tokens,delta"`
	Loss      *float64 `parquet:"loss"`
	Clock     string   `parquet:"clock,dict"` // host or cuda_event
}

// A Collective is one collective operation of one rank: one row of the table
// collectives. Its time is the slowest rank's, so every rank keeps its own row.
type Collective struct {
	Rank      int32  `parquet:"rank,delta"`
	Seq       int64  `parquet:"seq,delta"`
	Point     int32  `parquet:"point,delta"`
	Phase     Phase  `parquet:"phase,dict"`
	Op        string `parquet:"op,dict"`
	Algorithm string `parquet:"algorithm,dict"`
	Bytes     int64  `parquet:"bytes,delta"`
	DataType  string `parquet:"data_type,dict"`
	Ranks     int32  `parquet:"ranks,delta"`
	InPlace   bool   `parquet:"in_place"`
	Start     int64  `parquet:"start_ns,delta"`
	End       int64  `parquet:"end_ns,delta"`
	Wrong     int64  `parquet:"wrong,delta"` // elements with a wrong answer
}
