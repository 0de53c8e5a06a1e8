package accuracy

import (
	"cmp"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// converses reports whether the questions of a sheet came in sessions.
func converses(sheet []sheetRow) bool {
	return slices.ContainsFunc(sheet, func(row sheetRow) bool { return row.Turn > 0 })
}

// talksOf are the sessions that a sheet was asked in, each as the number of its first
// question and of the one after its last: the turns of a conversation, or a question that
// stands alone.
func talksOf(sheet []sheetRow) (list [][2]int) {
	for first := 0; first < len(sheet); {
		end := first + 1
		q := sheet[first]
		for q.Turn > 0 && end < len(sheet) && sheet[end].Task == q.Task && sheet[end].Conversation == q.Conversation && sheet[end].Sample == q.Sample {
			end++
		}
		list = append(list, [2]int{first, end})
		first = end
	}
	return list
}

// A playedSession is what the records say about one session.
type playedSession struct {
	point   int32
	number  int64
	replies map[int32]replyRow // by the question
	failed  bool               // a step of it failed, so that the others were never asked
	why     string             // what failed
}

// conversationAnswers are the answers to a sheet that was asked in sessions. A session that
// began while it was measured counts whole, with the turns that came after the window too:
// without its last turns a conversation would look shorter and easier than it is. Turns that
// were never asked, because one before them failed, failed with it.
func conversationAnswers(b *bundle.Bundle, launch int, sheet []sheetRow) ([]Answer, error) {
	played, err := playedSessions(b, launch, sheet)
	if err != nil {
		return nil, err
	}
	talks := talksOf(sheet)
	passes := map[[2]int64]int32{} // by point and talk
	type placed struct {
		Answer
		ask int
	}
	var all []placed
	for _, s := range played {
		talk := s.number % int64(len(talks))
		at := [2]int64{int64(s.point), talk}
		pass := passes[at]
		passes[at]++
		for ask := talks[talk][0]; ask < talks[talk][1]; ask++ {
			all = append(all, placed{s.answer(launch, pass, sheet[ask]), ask})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Pass, b.Pass), cmp.Compare(a.ask, b.ask))
	})
	answers := make([]Answer, len(all))
	for i, one := range all {
		answers[i] = one.Answer
	}
	return answers, nil
}

// answer is the answer to one question of the session.
func (s *playedSession) answer(launch int, pass int32, q sheetRow) Answer {
	if r, asked := s.replies[q.ID]; asked {
		a, _ := answerOf(launch, s.point, pass, []sheetRow{q}, map[place]replyRow{{s.point, pass, q.ID}: r})
		return a
	}
	a := questionOf(launch, s.point, pass, q)
	a.State, a.Error = Cut, "not asked: the run ended first"
	if s.failed {
		a.State, a.Error = Failed, "not asked: "+s.why
	}
	return a
}

// playedSessions joins the steps of sessions with their requests: those that began in the
// measured window, by point and number.
func playedSessions(b *bundle.Bundle, launch int, sheet []sheetRow) ([]*playedSession, error) {
	requests := map[int64]replyRow{}
	for row, err := range bundle.Rows[replyRow](b, launch, bundle.Requests) {
		if err != nil {
			return nil, err
		}
		if row.Ask == nil {
			continue
		}
		if int(*row.Ask) >= len(sheet) || *row.Ask < 0 {
			return nil, fmt.Errorf("request %d asked number %d of a sheet of %d", row.ID, *row.Ask, len(sheet))
		}
		requests[row.ID] = row
	}
	found := map[[2]int64]*playedSession{}
	var list []*playedSession
	for step, err := range bundle.Rows[record.SessionStep](b, launch, bundle.Sessions) {
		if err != nil {
			return nil, err
		}
		if step.Began != record.Measure {
			continue
		}
		at := [2]int64{int64(step.Point), step.Session}
		s := found[at]
		if s == nil {
			s = &playedSession{point: step.Point, number: step.Session, replies: map[int32]replyRow{}}
			found[at] = s
			list = append(list, s)
		}
		s.add(step, requests)
	}
	slices.SortFunc(list, func(a, b *playedSession) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.number, b.number))
	})
	return list, nil
}

// add counts one step.
func (s *playedSession) add(step record.SessionStep, requests map[int64]replyRow) {
	if step.Request != nil {
		if r, ok := requests[*step.Request]; ok {
			s.replies[*r.Ask] = r
		}
	}
	if step.Result.Failure() || step.Result == record.ToolFailed {
		s.failed = true
		s.why = fmt.Sprintf("turn %d failed (%s)", step.Turn+1, step.Result)
		if step.Kind == record.StepTool {
			s.why = fmt.Sprintf("the tool %s failed", step.Tool)
		}
	}
}
