package generator

import "assay/record"

// Describe is every generator as the launch's table has it, however it ended.
func (l *Leader) Describe() []record.Generator {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []record.Generator
	for _, p := range l.peers {
		row := record.Generator{
			Generator: int32(p.number), Generators: int32(l.o.Count), Host: p.hello.Host, PID: int64(p.hello.PID),
			Processors: int32(p.hello.Processors), BootID: p.hello.BootID, TimeNS: p.hello.TimeNS,
			Requests: p.rows, CPU: p.spent.CPU, Wall: p.spent.Wall, Resident: p.spent.Resident,
			Collections: p.spent.Collections, LongestPause: p.spent.LongestPause, Verdict: record.GeneratorOK,
		}
		if offset, bound, ok := p.alignment(); ok {
			offset -= l.o.Epoch
			row.Offset, row.Bound = &offset, &bound
		}
		if p.line != nil {
			row.Joined, row.Received, row.Sent = &p.joined, p.line.received.Load(), p.line.sent.Load()
		}
		if err := p.lost(record.Mono(), l.o.Hang); err != nil {
			row.Verdict, row.Error = record.GeneratorLost, err.Error()
			if p.stage == Failed {
				row.Verdict = record.GeneratorFailed
			}
		} else if !p.ended {
			row.Verdict = record.GeneratorStopped
		}
		rows = append(rows, row)
	}
	return rows
}

// Pings are the exchanges of stamps with all generators.
func (l *Leader) Pings() []record.Ping {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []record.Ping
	for _, p := range l.peers {
		list = append(list, p.pings...)
	}
	return list
}
