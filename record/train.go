package record

// A Step is one training step of one rank: one row of the table steps. A phase
// that was not measured is null.
type Step struct {
	Rank      int32    `parquet:"rank,delta"`     // which process
	Step      int64    `parquet:"step,delta"`     // number of the step
	Point     int32    `parquet:"point,delta"`    // index into the plan's points
	Phase     Phase    `parquet:"phase,dict"`     // warmup, measure or cooldown
	Start     int64    `parquet:"start_ns,delta"` // begin of the step
	End       int64    `parquet:"end_ns,delta"`   // end of the step
	Data      *int64   `parquet:"data_ns"`        // waiting for input
	H2D       *int64   `parquet:"h2d_ns"`         // copying input to the device
	Forward   *int64   `parquet:"forward_ns"`     // forward pass
	Backward  *int64   `parquet:"backward_ns"`    // backward pass
	Optimizer *int64   `parquet:"optimizer_ns"`   // optimizer
	GPUBusy   *int64   `parquet:"gpu_busy_ns"`    // time with a kernel running
	Comm      *int64   `parquet:"comm_ns"`        // time in collectives
	Synced    bool     `parquet:"synced"`         // false for a step run without gradient exchange
	Samples   int64    `parquet:"samples,delta"`  // samples this rank consumed
	Tokens    int64    `parquet:"tokens,delta"`   // tokens this rank consumed
	Loss      *float64 `parquet:"loss"`           // as the worker reported
	Clock     string   `parquet:"clock,dict"`     // host or cuda_event
}

// A Collective is one collective operation of one rank: one row of the table
// collectives. Its time is the slowest rank's, so every rank keeps its own row.
type Collective struct {
	Rank      int32  `parquet:"rank,delta"`     // which process
	Seq       int64  `parquet:"seq,delta"`      // its place in the order of operations, from 0
	Point     int32  `parquet:"point,delta"`    // index into the plan's points
	Phase     Phase  `parquet:"phase,dict"`     // warmup, measure or cooldown
	Op        string `parquet:"op,dict"`        // such as all_reduce
	Algorithm string `parquet:"algorithm,dict"` // as the library named it
	Bytes     int64  `parquet:"bytes,delta"`    // size of the buffer
	DataType  string `parquet:"data_type,dict"` // such as float32
	Ranks     int32  `parquet:"ranks,delta"`    // how many took part
	InPlace   bool   `parquet:"in_place"`       // whether input and output shared a buffer
	Start     int64  `parquet:"start_ns,delta"` // begin on this rank
	End       int64  `parquet:"end_ns,delta"`   // end on this rank
	Wrong     int64  `parquet:"wrong,delta"`    // elements with a wrong answer
}
