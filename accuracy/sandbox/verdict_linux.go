//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Causes why a program was stopped from outside.
var (
	errWall   = errors.New("wall clock")
	errOutput = errors.New("output")
	errMemory = errors.New("memory")
)

func (p Program) checks() string {
	if p.Check == "" {
		return Together
	}
	return Apart
}

// judged is the outcome of a program whose referee ended by itself. Only a verdict that
// begins with the nonce is one.
func (p Program) judged(verdict, nonce string, ended reply) (Outcome, error) {
	o := Outcome{Checks: p.checks(), CPU: time.Duration(ended.CPU)}
	head, rest, _ := strings.Cut(verdict, "\n")
	word, why, _ := strings.Cut(rest, "\n")
	if head != nonce {
		o.Verdict, o.Why = p.byItself(ended)
		return o, nil
	}
	o.Why = why
	switch word {
	case "passed":
		o.Verdict = Passed
	case "failed":
		o.Verdict = Failed
	case "gone":
		o.Verdict, o.Why = p.gone(why, o.CPU)
	case "broken":
		return o, errors.New(why)
	}
	return o, nil
}

// gone is the verdict on a program that ended before its checks did.
func (p Program) gone(why string, cpu time.Duration) (Verdict, string) {
	number, signalled := strings.CutPrefix(why, "signal ")
	signal, err := strconv.Atoi(number)
	if !signalled || err != nil {
		return Failed, why
	}
	return p.bySignal(syscall.Signal(signal), cpu)
}

func (p Program) bySignal(signal syscall.Signal, cpu time.Duration) (Verdict, string) {
	if signal == syscall.SIGXCPU || signal == syscall.SIGKILL && cpu >= p.Limits.CPU {
		return TimedOut, fmt.Sprintf("used more than %v of processor time", p.Limits.CPU)
	}
	return Killed, fmt.Sprintf("killed by signal %d (%v)", int(signal), signal)
}

// byItself is the verdict on a referee that gave none: a limit ended it, or it could
// not begin. It is out of reach for the program's signals.
func (p Program) byItself(ended reply) (Verdict, string) {
	if ended.Signal != 0 {
		return p.bySignal(syscall.Signal(ended.Signal), time.Duration(ended.CPU))
	}
	return Killed, "the referee ended without a verdict, for want of memory, processes or time"
}

// stopped is the outcome of a program whose cell is no more. Without a cause it was not
// stopped from here: then the kernel did it.
func (p Program) stopped(cause error) (Outcome, error) {
	o := Outcome{Checks: p.checks()}
	switch {
	case errors.Is(cause, errWall):
		o.Verdict, o.Why = TimedOut, fmt.Sprintf("ran longer than %v", p.Limits.Wall)
	case errors.Is(cause, errOutput):
		o.Verdict, o.Why = Killed, fmt.Sprintf("wrote more than %d bytes of output", p.Limits.Output)
	case errors.Is(cause, errMemory):
		o.Verdict, o.Why = Killed, fmt.Sprintf("its processes held more than %d bytes of memory together", p.Limits.Memory)
	case cause != nil:
		return Outcome{}, cause
	default:
		o.Verdict, o.Why = Killed, "the cell was killed, perhaps for want of memory"
	}
	return o, nil
}
