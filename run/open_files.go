package run

import (
	"fmt"

	"assay/plan"
)

// filesBeside is how many descriptors a run needs beside those of its connections: tables,
// logs, pipes, loops, and the probes that run beside the load.
const filesBeside = 64

// enoughFiles refuses a plan whose users cannot all have a connection. Without it the calls
// of some of them fail, or a table cannot be written, long after the measurement began.
func enoughFiles(p plan.Plan, sides []*side) error {
	most := 0
	for _, s := range sides {
		if s.target == nil || len(s.conn.client.URLs) == 0 || s.conn.client.HTTP2 {
			continue
		}
		for _, point := range p.Points {
			most = max(most, point.Concurrency)
		}
	}
	if p.Generators() > 1 { // each has a limit of its own, and a part of the users
		return nil
	}
	return withinFiles(most, openFiles())
}

// withinFiles holds so many users against the limit on open files.
func withinFiles(users, limit int) error {
	if need := users + filesBeside; users > 0 && need > limit {
		return fmt.Errorf("%d users need as many connections and %d descriptors in all, and this process may open %d files: ulimit -n %d before starting assay (LimitNOFILE= in a unit), or fewer users (load.concurrency)",
			users, need, limit, 2*need)
	}
	return nil
}
