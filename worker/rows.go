package worker

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/record"
	"assay/secret"
)

// The verdicts on a rank.
const (
	VerdictOK          = "ok"
	VerdictDied        = "died"        // its process ended by itself
	VerdictHung        = "hung"        // its process lives and does not go on
	VerdictUnreachable = "unreachable" // it is cut off from the controller
	VerdictVictim      = "victim"      // it failed because another did
	VerdictStopped     = "stopped"     // it was told to end before it was done
)

// Ranks are the rows of this world's ranks, as far as is known now. World is its
// place in the launch.
func (c *Controller) Ranks(world int) []record.Rank {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := make([]record.Rank, len(c.peers))
	for i, p := range c.peers {
		rows[i] = c.row(p)
		rows[i].World = int32(world)
	}
	return rows
}

func (c *Controller) row(p *peer) record.Rank {
	row := record.Rank{
		Rank: int32(p.rank), Ranks: int32(c.o.Ranks), LocalRank: int32(p.rank), PID: int64(p.pid),
		Started: when(p.started), Joined: when(p.joined), Ready: when(p.ready),
		Verdict: c.verdict(p), LastSeq: p.seq, Dropped: p.lost + p.garbage,
		Error: c.redact(p.trouble(), maxError),
	}
	if p.bye != nil {
		row.Dropped = max(row.Dropped, p.bye.Dropped)
	}
	if h := p.hello; h != nil {
		row.LocalRank, row.NodeRank, row.Host, row.PID = int32(h.LocalRank), int32(h.NodeRank), h.Host, h.PID
		row.Backend, row.Device, row.DeviceID, row.Library, row.CommLib = h.Backend, h.Device, h.DeviceID, h.Library, h.CommLib
		row.BootID, row.TimeNS = h.BootID, h.TimeNS
		row.Driver, row.Launcher, row.Affinity, row.Tuning = h.Driver, h.Launcher, processors(h.Affinity), c.redact(variables(h.Env), maxGreeting)
		if h.NUMA != nil {
			row.NUMA = new(int32(*h.NUMA))
		}
	}
	if clock, ok := c.alignment(p); ok {
		row.Offset, row.Bound = &clock.offset, &clock.bound
	}
	if p.exit != nil {
		row.Ended, row.Signal = &p.exit.at, p.exit.signal
		if p.exit.signal == "" {
			row.ExitCode = new(int32(p.exit.code))
		}
	}
	return row
}

// processors are a list of them as the kernel writes it, such as 0-3,8.
func processors(list []int) string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		part := strconv.Itoa(list[i])
		if end > i {
			part += "-" + strconv.Itoa(list[end])
		}
		parts, i = append(parts, part), end+1
	}
	return strings.Join(parts, ",")
}

// variables are an environment as text, one variable a line.
func variables(env map[string]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	return strings.Join(lines, "\n")
}

func when(at int64) *int64 {
	if at == 0 {
		return nil
	}
	return &at
}

func (c *Controller) verdict(p *peer) string {
	switch {
	case c.failure != nil && c.failure.Rank == p.rank:
		return c.failure.Verdict
	case p.bye != nil:
		return VerdictOK
	case p.said != nil && (p.said.Kind == KindCommunication || c.failure != nil):
		return VerdictVictim
	case p.exit != nil && !p.exit.asked && p.exit.signal != "":
		return VerdictDied
	case p.exit != nil && !p.exit.asked && c.failure != nil:
		return VerdictVictim
	case p.exit != nil && !p.exit.asked, p.said != nil:
		return VerdictDied
	}
	return VerdictStopped
}

// trouble is what is to be said of a rank beside its verdict.
func (p *peer) trouble() string {
	var list []string
	if p.said != nil {
		list = append(list, strings.TrimPrefix(p.said.Kind+": ", ": ")+p.said.Text)
	}
	if p.garbage > 0 {
		list = append(list, fmt.Sprintf("%d lines could not be read: %s", p.garbage, p.why))
	}
	if p.lost > 0 && (p.bye == nil || p.bye.Dropped < p.lost) {
		list = append(list, fmt.Sprintf("%d lines were lost", p.lost))
	}
	if p.differs {
		list = append(list, fileOf(p.rank)+" is not what the rank wrote")
	}
	return strings.Join(list, "; ")
}

// maxError is what is kept of the words of a rank: a traceback's end says most, and
// its file has it all.
const maxError = 2000

func (c *Controller) redact(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "�"), c.token, "…")
	return secret.Tail(text, most)
}

// Pings are the exchanges of stamps with all ranks.
func (c *Controller) Pings(world int) []record.Ping {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []record.Ping
	for _, p := range c.peers {
		for _, ping := range p.pings {
			ping.World = int32(world)
			list = append(list, ping)
		}
	}
	return list
}
