package accuracy

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"assay/accuracy/sandbox"
	"assay/record"
)

// codeGraders run programs.
var codeGraders = []Grader{
	{Name: "code", Doc: "The program passes its tests, in a sandbox; a host that has none cannot grade it.", Program: true, batch: runPrograms},
}

var errNoProgram = errors.New("the question has no tests: want another grader")

// runPrograms runs every answer as a program, many at a time.
func runPrograms(answers []*Answer) ([]Mark, error) {
	var programs []sandbox.Program
	for _, a := range answers {
		if a.Key.Program == nil {
			return nil, errNoProgram
		}
		programs = append(programs, programOf(a.Text, *a.Key.Program))
	}
	ctx := context.Background() // grading ends by itself: every program has a limit
	box, err := sandbox.Open(ctx, sandbox.Options{})
	if refusal := (*sandbox.Refusal)(nil); errors.As(err, &refusal) {
		return nil, &unavailableError{refusal.Error()}
	}
	if err != nil {
		return nil, err
	}
	outcomes, err := box.RunAll(ctx, programs)
	if err := errors.Join(err, box.Close()); err != nil {
		return nil, err
	}
	var marks []Mark
	for i, o := range outcomes {
		mark := Mark{Score: truth(o.Passed()), Extracted: strings.TrimPrefix(programs[i].Source, answers[i].Key.Program.Prefix)}
		if !o.Passed() {
			mark.Why = strings.TrimSpace(string(o.Verdict) + " " + o.Why)
		}
		marks = append(marks, mark)
	}
	return marks, nil
}

// fence is a block of code in an answer of a conversation.
var fence = regexp.MustCompile("(?s)```[A-Za-z0-9]*[ \t]*\r?\n(.*?)(?:```|$)")

// programOf makes a program of an answer: what stands in its first block of code, or all of
// it. One that defines the function anew stands beside the prompt, which then is a function
// without a body of its own; any other completes the prompt.
func programOf(answer string, key record.ProgramKey) sandbox.Program {
	code := answer
	if block := fence.FindStringSubmatch(answer); block != nil {
		code = block[1]
	}
	source := key.Prefix + code
	if key.Entry != "" && regexp.MustCompile(`(?m)^(async )?def `+regexp.QuoteMeta(key.Entry)+`\b`).MatchString(code) {
		source = key.Prefix + "\n" + code
	}
	p := sandbox.Program{Source: source, Check: key.Test, Prepare: key.Prepare}
	if key.Entry != "" {
		p.Calls = []string{key.Entry}
	}
	return p
}
