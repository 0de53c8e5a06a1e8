//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"assay/tests/whole"
)

// reference opens a file of the shared folder, which lies beside the repository or in
// it, or skips the test.
func reference(t testing.TB, path string) *os.File {
	t.Helper()
	for _, folder := range []string{"../../../shared/", "../../shared/"} {
		if file, err := os.Open(folder + path); err == nil {
			return file
		}
	}
	t.Skipf("no reference data: want shared/%s beside the repository", path)
	return nil
}

// lines decodes a file of JSON lines.
func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	file := reference(t, path)
	defer file.Close()
	var from io.Reader = file
	var err error
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	var all []T
	for dec := json.NewDecoder(bufio.NewReader(from)); ; {
		var one T
		err := dec.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

// A humanEvalProblem is one problem of the HumanEval set, with the fields of its file.
type humanEvalProblem struct {
	TaskID            string `json:"task_id"`
	Prompt            string `json:"prompt"`
	EntryPoint        string `json:"entry_point"`
	CanonicalSolution string `json:"canonical_solution"`
	Test              string `json:"test"`
}

// program is the problem with a model's completion, checked apart from it. The reference
// is run beside the checks: some call a second function that the prompt defines.
func (h humanEvalProblem) program(completion string) Program {
	return Program{Source: h.Prompt + completion, Prepare: h.Prompt + h.CanonicalSolution, Check: h.Test + "\n" + h.call(), Calls: []string{h.EntryPoint}}
}

// together is the same as one text, to the byte what the original harness runs, with
// the checks in the completion's own interpreter.
func (h humanEvalProblem) together(completion string) Program {
	return Program{Source: h.Prompt + completion + "\n" + h.Test + "\n" + h.call()}
}

func (h humanEvalProblem) call() string { return "check(" + h.EntryPoint + ")" }

func humanEval(t testing.TB) []humanEvalProblem {
	return lines[humanEvalProblem](t, "data/humaneval/HumanEval.jsonl.gz")
}

// The text of a program is, to the byte, what the original harness runs.
func TestHumanEvalText(t *testing.T) {
	t.Parallel()
	file := reference(t, "golden/accuracy/humaneval_programs.json")
	defer file.Close()
	var golden struct {
		Programs []struct {
			TaskID string `json:"task_id"`
			SHA256 string `json:"program_sha256"`
			Bytes  int    `json:"program_bytes"`
		}
	}
	if err := json.NewDecoder(file).Decode(&golden); err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, h := range humanEval(t) {
		programs[h.TaskID] = h.together(h.CanonicalSolution).Source
	}
	for _, want := range golden.Programs {
		got := programs[want.TaskID]
		digest := sha256.Sum256([]byte(got))
		if hex.EncodeToString(digest[:]) != want.SHA256 || len(got) != want.Bytes {
			t.Errorf("%s: %d bytes with digest %x, want %d with %s", want.TaskID, len(got), digest, want.Bytes, want.SHA256)
		}
	}
}

// runAll runs one program for each problem and returns the outcomes by task.
func runAll(t *testing.T, problems []humanEvalProblem, program func(humanEvalProblem) Program) map[string]Outcome {
	t.Helper()
	var programs []Program
	for _, h := range problems {
		p := program(h)
		p.Limits.Wall = time.Minute // a busy machine fails nobody
		programs = append(programs, p)
	}
	outcomes, err := opened(t).RunAll(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Outcome{}
	for i, h := range problems {
		by[h.TaskID] = outcomes[i]
	}
	return by
}

func TestCanonicalSolutionsPass(t *testing.T) {
	t.Parallel()
	problems := humanEval(t)
	if len(problems) != 164 {
		t.Errorf("%d problems, want 164", len(problems))
	}
	if !whole.All() {
		problems = problems[:40]
	}
	outcomes := runAll(t, problems, func(h humanEvalProblem) Program { return h.program(h.CanonicalSolution) })
	for id, o := range outcomes {
		if !o.Passed() || o.Checks != Apart {
			t.Errorf("%s: %s %s, %s %s", id, o.Checks, o.Verdict, o.Why, o.OutputTail)
		}
	}
}

func TestCanonicalSolutionsPassTogether(t *testing.T) {
	whole.Only(t)
	for id, o := range runAll(t, humanEval(t), func(h humanEvalProblem) Program { return h.together(h.CanonicalSolution) }) {
		if !o.Passed() || o.Checks != Together {
			t.Errorf("%s: %s %s, %s %s", id, o.Checks, o.Verdict, o.Why, o.OutputTail)
		}
	}
}

// mutations spoil a right solution in ways that still run.
var mutations = map[string]func(h humanEvalProblem) string{
	"body is pass": func(humanEvalProblem) string { return "    pass\n" },
	"return changed": func(h humanEvalProblem) string {
		return h.CanonicalSolution + "\n\nright = " + h.EntryPoint +
			"\n\n\ndef " + h.EntryPoint + "(*args):\n    return [right(*args), 'changed']\n"
	},
	"equal to everything": func(h humanEvalProblem) string {
		return "    class Equal(int):\n        def __eq__(self, other):\n            return True\n        __hash__ = int.__hash__\n" +
			"        __lt__ = __le__ = __gt__ = __ge__ = __eq__\n" +
			"        def __sub__(self, other):\n            return self\n        __rsub__ = __abs__ = lambda self, *other: self\n    return Equal()\n"
	},
}

func mutantsFail(t *testing.T, problems []humanEvalProblem) {
	for name, mutate := range mutations {
		for id, o := range runAll(t, problems, func(h humanEvalProblem) Program { return h.program(mutate(h)) }) {
			if o.Verdict != Failed {
				t.Errorf("%s, %s: %s, want failed; %s", id, name, o.Verdict, o.Why)
			}
		}
	}
}

func TestMutatedSolutionsFail(t *testing.T) {
	t.Parallel()
	var some []humanEvalProblem
	for i, h := range humanEval(t) {
		if i%20 == 0 {
			some = append(some, h)
		}
	}
	mutantsFail(t, some)
}

func TestAllMutatedSolutionsFail(t *testing.T) {
	whole.Every(t)
	mutantsFail(t, humanEval(t))
}

// The set that comes with the original harness has a known result: three of six.
func TestSanitySet(t *testing.T) {
	t.Parallel()
	problem := lines[humanEvalProblem](t, "data/humaneval/example_problem.jsonl")[0]
	samples := lines[struct{ Completion string }](t, "data/humaneval/example_samples.jsonl")
	var programs []Program
	for _, s := range samples {
		p := problem.program(s.Completion)
		p.Limits.Wall = 3 * time.Second // the harness's own, which the sample that sleeps needs
		programs = append(programs, p)
	}
	outcomes, err := opened(t).RunAll(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	want := []Verdict{Failed, TimedOut, Failed, Passed, Passed, Passed}
	for i, o := range outcomes {
		if o.Verdict != want[i] {
			t.Errorf("sample %d: %s %s, want %s", i, o.Verdict, o.Why, want[i])
		}
	}
}

// Assertions that call what an answer defines, in the manner of MBPP.
func TestMBPP(t *testing.T) {
	t.Parallel()
	tests := []struct {
		answer string
		want   Verdict
	}{
		{"def area(x): return x * x\ndef pair(a, b): return (a, b)", Passed},
		{"def area(x): return x + x\ndef pair(a, b): return (a, b)", Failed},
		{"def area(x): return x * x", Failed},
	}
	for _, tt := range tests {
		o, err := opened(t).Run(t.Context(), Program{
			Source: tt.answer, Prepare: "import math",
			Check: "assert area(2) == 4\nassert math.isclose(area(0.5), 0.25)\nassert set(pair(1, b=2)) == set((1, 2))",
		})
		if err != nil || o.Verdict != tt.want {
			t.Errorf("%q: %s %s %v, want %s", tt.answer, o.Verdict, o.Why, err, tt.want)
		}
	}
}
