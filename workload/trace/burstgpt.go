package trace

import (
	"fmt"
	"io"
	"time"
)

var burstGPT = Format{
	Name: "burstgpt", Doc: "BurstGPT's table: seconds, models and token counts; an answer without tokens is a failure",
	read: readBurstGPT,
}

func readBurstGPT(r io.Reader) (records []Record, err error) {
	type turn struct {
		id     string
		number int32
		end    time.Duration
	}
	last := map[string]turn{}
	needed := []string{"Timestamp", "Model", "Request tokens", "Response tokens", "Log Type"}
	err = eachCSV(r, needed, func(line int, row *table) error {
		at, err := span(row.number("Timestamp"), time.Second)
		if err != nil {
			return err
		}
		elapsed, err := span(row.number("Elapsed time"), time.Second)
		if err != nil {
			return err
		}
		out := Record{
			ID: fmt.Sprint(line), At: at, Input: row.tokens("Request tokens"), Output: row.tokens("Response tokens"),
			Session: row.text("Session ID"), Model: row.text("Model"), Kind: row.text("Log Type"),
		}
		out.Failed = out.Output == 0
		if before, ok := last[out.Session]; ok && out.Session != "" {
			out.Turn, out.After = before.number+1, []string{before.id}
			out.Think = max(0, at-before.end)
		}
		last[out.Session] = turn{out.ID, out.Turn, at + elapsed}
		records = append(records, out)
		return nil
	})
	return records, err
}
