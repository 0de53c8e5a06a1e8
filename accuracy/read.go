package accuracy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/record"
)

// Answers reads the answers of a bundle, task by task in the order of the sheet, and of
// each launch and point in the order of the questions. Requests of warm-ups and cool-downs
// are no part of them. None means that the bundle holds no evaluation.
func Answers(b *bundle.Bundle) ([]Answer, error) {
	var all []Answer
	for _, l := range b.Launches() {
		if !counts(l) {
			continue
		}
		sheet, err := readSheet(b, l.Index)
		if err != nil {
			return nil, err
		}
		if len(sheet) == 0 {
			continue
		}
		answers, err := answersOf(b, l.Index, sheet)
		if err != nil {
			return nil, fmt.Errorf("launch %d: %w", l.Index+1, err)
		}
		for i := range answers {
			answers[i].Side = l.Side
		}
		all = append(all, answers...)
	}
	return all, nil
}

// counts reports whether the answers of a launch count: it was completed, or somebody ended
// it and it wrote down all that it had. What it still waited for then is cut, not failed.
func counts(l bundle.LaunchInfo) bool {
	return l.Outcome == bundle.LaunchCompleted || l.Outcome == bundle.LaunchAborted && l.Rows != nil
}

// A sheetRow is a question with its key read.
type sheetRow struct {
	record.Ask
	key      *record.AnswerKey
	question string // digest of the prompt
}

func readSheet(b *bundle.Bundle, launch int) ([]sheetRow, error) {
	var sheet []sheetRow
	for ask, err := range bundle.Rows[record.Ask](b, launch, bundle.Asks) {
		if err != nil {
			return nil, err
		}
		if int(ask.ID) != len(sheet) {
			return nil, fmt.Errorf("launch %d: row %d of the table asks says that it is number %d", launch+1, len(sheet), ask.ID)
		}
		row := sheetRow{Ask: ask}
		if n := len(sheet); n > 0 && sheet[n-1].Key == ask.Key {
			row.key = sheet[n-1].key // the choices of one question share it
		} else if err := json.Unmarshal([]byte(ask.Key), &row.key); err != nil {
			return nil, fmt.Errorf("launch %d: key of item %s: %w", launch+1, ask.Item, err)
		}
		if row.Choice <= 0 {
			row.question = QuestionDigest(row.Prompt)
		}
		sheet = append(sheet, row)
	}
	return sheet, nil
}

// QuestionDigest names a question by what was asked, spaces at both ends aside.
func QuestionDigest(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:8])
}

// A replyRow is what the table requests says about one question.
type replyRow struct {
	ID           int64          `parquet:"request,delta"`
	Point        int32          `parquet:"point,delta"`
	Phase        record.Phase   `parquet:"phase,dict"`
	Result       record.Outcome `parquet:"outcome,dict"`
	Error        string         `parquet:"error,zstd"`
	FinishReason string         `parquet:"finish_reason,dict"`
	Text         string         `parquet:"text,zstd"`
	User         int32          `parquet:"user,delta"`
	Due          int64          `parquet:"due_ns,delta"`
	Sent         int64          `parquet:"sent_ns,delta"`
	Done         int64          `parquet:"done_ns,delta"`
	Ask          *int32         `parquet:"ask"`
	Logprobs     string         `parquet:"logprobs,zstd"`
	UsageInput   *int32         `parquet:"usage_input_tokens"`
}

// place is where a reply belongs: the pass over the sheet, and the question on it.
type place struct{ point, pass, ask int32 }

// answersOf joins the requests of a launch with its sheet. The requests of one question
// that share a pass are one answer.
func answersOf(b *bundle.Bundle, launch int, sheet []sheetRow) ([]Answer, error) {
	if converses(sheet) {
		return conversationAnswers(b, launch, sheet)
	}
	replies := map[place]replyRow{}
	passes := map[place]int32{} // with pass 0: how often the question was asked
	var rows []replyRow
	for row, err := range bundle.Rows[replyRow](b, launch, bundle.Requests) {
		if err != nil {
			return nil, err
		}
		if row.Ask == nil || row.Phase != record.Measure {
			continue
		}
		if int(*row.Ask) >= len(sheet) || *row.Ask < 0 {
			return nil, fmt.Errorf("request %d asked number %d of a sheet of %d", row.ID, *row.Ask, len(sheet))
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b replyRow) int { return int(min(1, max(-1, a.ID-b.ID))) })
	for _, row := range rows {
		asked := place{point: row.Point, ask: *row.Ask}
		replies[place{row.Point, passes[asked], *row.Ask}] = row
		passes[asked]++
	}
	var points []int32
	most := map[int32]int32{}
	for at, n := range passes {
		if most[at.point] == 0 {
			points = append(points, at.point)
		}
		most[at.point] = max(most[at.point], n)
	}
	slices.Sort(points)
	var answers []Answer
	for _, point := range points {
		for pass := range most[point] {
			answers = append(answers, passOf(launch, point, pass, sheet, replies)...)
		}
	}
	return answers, nil
}

// passOf lists the answers of one pass over the sheet. A question of several requests of
// which some were never sent has no answer.
func passOf(launch int, point, pass int32, sheet []sheetRow, replies map[place]replyRow) []Answer {
	var answers []Answer
	for first := 0; first < len(sheet); {
		end := first + 1
		for end < len(sheet) && sheet[end].Choice > 0 {
			end++
		}
		if a, ok := answerOf(launch, point, pass, sheet[first:end], replies); ok {
			answers = append(answers, a)
		}
		first = end
	}
	return answers
}

func answerOf(launch int, point, pass int32, asked []sheetRow, replies map[place]replyRow) (Answer, bool) {
	a := questionOf(launch, point, pass, asked[0])
	for _, row := range asked {
		r, ok := replies[place{point, pass, row.ID}]
		if !ok {
			return a, false
		}
		a.Took = max(a.Took, float64(r.Done-record.Origin(r.User, r.Due, r.Sent))/1e9)
		reply := Reply{Request: r.ID, Choice: row.Choice, Said: row.Said, Prompt: row.Prompt}
		switch state := stateOf(&r, row.Choice); state {
		case Failed, Cut:
			if a.State != Failed {
				a.State, a.Error = state, strings.TrimSpace(string(r.Result)+" "+r.Error)
			}
		case Answered:
		default:
			if a.State == Answered {
				a.State = state
			}
		}
		if r.UsageInput != nil {
			reply.PromptTokens = int(*r.UsageInput)
		}
		if r.Logprobs != "" && json.Unmarshal([]byte(r.Logprobs), &reply.Logprobs) != nil {
			reply.Logprobs = nil // what cannot be read was not given
		}
		a.Replies = append(a.Replies, reply)
		if row.Choice <= 0 {
			a.Text = r.Text
		}
	}
	return a, true
}

// questionOf is the answer to a question before anything of it is known.
func questionOf(launch int, point, pass int32, q sheetRow) Answer {
	return Answer{
		Launch: launch, Point: point, Task: q.Task, Item: q.Item, Group: q.Group, Cluster: q.Cluster, Question: q.question, Conversation: q.Conversation, Turn: q.Turn,
		Sample: q.Sample, Pass: pass, State: Answered, Prompt: q.Prompt, Key: q.key,
	}
}

// lengthReasons are the servers' words for an answer that reached its longest length.
var lengthReasons = []string{"length", "max_tokens", "max_output_tokens", "limit"}

// stateOf says what became of one request. The one token after a prompt whose likelihood
// is asked is always cut.
func stateOf(r *replyRow, choice int32) State {
	switch {
	case r.Result.Failure():
		return Failed
	case r.Result != record.OK:
		return Cut
	case choice >= 0:
		return Answered
	case strings.TrimSpace(r.Text) == "" && r.Logprobs == "":
		return Empty
	case slices.Contains(lengthReasons, strings.ToLower(r.FinishReason)) && r.Logprobs == "":
		return Truncated
	}
	return Answered
}
