package trace

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

var bailian = Format{
	Name: "bailian", Doc: "Alibaba Bailian's (Qwen) JSON lines: seconds, chats with parents, and names of 16-token blocks",
	read: readBailian,
}

type bailianLine struct {
	Chat      int64    `json:"chat_id"`
	Parent    *int64   `json:"parent_chat_id"` // -1 for the first turn
	Timestamp *float64 `json:"timestamp"`      // seconds
	Input     int32    `json:"input_length"`
	Output    int32    `json:"output_length"`
	Turn      int32    `json:"turn"`
	Type      string   `json:"type"`
	Blocks    []uint64 `json:"hash_ids"`
}

func readBailian(r io.Reader) (records []Record, err error) {
	sessions := map[int64]string{}
	err = eachJSON(r, func(_ int, b bailianLine) error {
		if b.Timestamp == nil {
			return fmt.Errorf("no timestamp")
		}
		at, err := span(*b.Timestamp, time.Second)
		if err != nil {
			return err
		}
		out := Record{
			ID: strconv.FormatInt(b.Chat, 10), At: at, Input: b.Input, Output: b.Output,
			Turn: b.Turn, Kind: b.Type, Blocks: b.Blocks, BlockTokens: 16,
		}
		out.Session = out.ID
		// A parent may lie before the part of the trace that was published; its
		// child then begins a session.
		if b.Parent != nil && sessions[*b.Parent] != "" {
			out.Session = sessions[*b.Parent]
			out.After = []string{strconv.FormatInt(*b.Parent, 10)}
		}
		sessions[b.Chat] = out.Session
		records = append(records, out)
		return nil
	})
	return records, err
}
