package exam

import (
	"slices"

	"assay/record"
	"assay/workload"
)

// Calls makes the calls of a sheet: call n of a point asks row n, and the first row again
// after the last.
type Calls struct {
	sheet  *Sheet
	stride int64
}

var _ workload.Source = Calls{}

// Calls returns the calls of s for points whose numbers of calls are stride apart.
func (s *Sheet) Calls(stride int64) Calls { return Calls{s, stride} }

// Call implements workload.Source.
func (c Calls) Call(point int32, id int64) record.Call {
	row := int32((id % c.stride) % int64(len(c.sheet.Asks)))
	ask := &c.sheet.Asks[row]
	i := slices.IndexFunc(c.sheet.tasks, func(a askedTask) bool { return int(row) < a.end })
	task := &c.sheet.tasks[i]
	return record.Call{
		ID: id, Point: point, Prompt: ask.Prompt, OutputTokens: task.limit,
		Ask: &row, Sampling: &task.sampling[ask.Sample],
	}
}

// Echoes reports whether the sheet asks for the likelihood of prompts, which answers that
// are streamed do not carry.
func (s *Sheet) Echoes() bool {
	return slices.ContainsFunc(s.tasks, func(a askedTask) bool { return a.sampling[0].Echo })
}

// AsksLogprobs reports whether the sheet asks for probabilities of tokens.
func (s *Sheet) AsksLogprobs() bool {
	return slices.ContainsFunc(s.tasks, func(a askedTask) bool { return a.sampling[0].Logprobs > 0 })
}

// A Need is what a task needs of the server beyond answers.
type Need struct {
	Task     string
	Style    string
	Chat     bool  // it can be asked through an API of conversations
	Logprobs int32 // how many alternatives of each token; 0 for no probabilities
	Echo     bool  // the prompt repeated, with the probabilities of its tokens
}

// Needs lists what the tasks need, in their order.
func (s *Sheet) Needs() []Need {
	var list []Need
	for _, a := range s.tasks {
		list = append(list, Need{a.task, a.style.Name, a.style.Chat, a.style.Logprobs, a.style.Echo})
	}
	return list
}
