package record

// A SessionStep is one step of a session as it happened: one row of the table
// sessions. A session is the rows of one number: it began at Start, has Steps
// steps, and is complete when all of them are there with the result ok.
type SessionStep struct {
	Session int64   `parquet:"session,delta"`      // number of the session within its point
	Name    string  `parquet:"name"`               // what a trace calls the session; empty for others
	Step    int32   `parquet:"step,delta"`         // place in the session's plan, from 0
	Steps   int32   `parquet:"steps,delta"`        // how many steps the session has
	Point   int32   `parquet:"point,delta"`        // index into the plan's points
	Phase   Phase   `parquet:"phase,dict"`         // warmup, measure or cooldown: where the step began
	Shard   int32   `parquet:"shard,delta"`        // which load generator played it
	User    int32   `parquet:"user,delta"`         // closed loop: which user; open loop: -1
	Kind    string  `parquet:"kind,dict"`          // generate or tool
	Turn    int32   `parquet:"turn,delta"`         // how many generations came before it in its conversation
	Parents string  `parquet:"parents,dict"`       // steps that it waited for, separated by spaces; the first is the one it continues
	Request *int64  `parquet:"request"`            // row of table requests; null for a tool
	Start   int64   `parquet:"start_ns,delta"`     // when the session was due to begin
	Due     int64   `parquet:"due_ns,delta"`       // last end of the parents, or the start, plus the think time
	Begun   int64   `parquet:"begun_ns,delta"`     // when it really began
	End     int64   `parquet:"end_ns,delta"`       // when it ended
	Think   int64   `parquet:"think_ns,delta"`     // pause before it, as planned
	Tool    string  `parquet:"tool,dict"`          // which tool ran; empty for a generation
	Real    bool    `parquet:"real_tool"`          // a program ran; otherwise the tool's time was injected
	Live    bool    `parquet:"live_history"`       // it repeats what the target said, not recorded text
	Result  Outcome `parquet:"outcome,dict"`       // how it ended; anything but ok ends the session
	Began   Phase   `parquet:"session_phase,dict"` // where the session began; it is measured as a whole
	Error   string  `parquet:"error,zstd"`         // of a tool; redacted, capped
}

// ToolFailed is the outcome of a tool that failed or took too long. Requests
// never have it.
const ToolFailed Outcome = "tool_failed"

// The kinds of step.
const (
	StepGenerate = "generate"
	StepTool     = "tool"
)
