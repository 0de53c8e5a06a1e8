package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// A target is a program that answers and logs what it did.
type target struct {
	name    string
	command func(o options, log string) []string
	url     func(stdout *bufio.Reader) (string, error) // from what it says when it is ready
	read    func(log []byte) (answers, error)
	model   string // that the spec asks for
	fields  string // more of the spec's target
	stays   bool   // starts slowly, and serves all runs
	quiet   bool   // what it says on standard error is no news
	length  func(o options) time.Duration
}

// inC is the server that shares no line with assay.
var inC = target{
	name: "server in C", model: "truth", length: fixedLength,
	command: func(o options, log string) []string {
		args := []string{o.server, "--log", log, "--ttft", nanoseconds(o.answer.ttft), "--gap", nanoseconds(o.answer.gap),
			"--jitter", strconv.FormatFloat(o.answer.jitter, 'g', -1, 64), "--seed", strconv.FormatUint(o.answer.seed, 10)}
		if o.address != "" {
			args = append(args, "--address", o.address)
		}
		return args
	},
	url: lineURL, read: readAnswers,
}

// simulated answers on a schedule, as the server in C does.
var simulated = target{
	name: "simulator", model: "sim", length: fixedLength,
	command: func(o options, log string) []string {
		return append(simCommand(o, log), "--ttft", o.answer.ttft.String(), "--itl", o.answer.gap.String(), "--tokens", strconv.Itoa(o.answer.tokens))
	},
	quiet: true, url: jsonURL, read: readTruthRows,
}

// simulatedEngine batches: a request waits for the iteration that runs.
var simulatedEngine = target{
	name: "simulated engine", model: "sim",
	command: func(o options, log string) []string {
		return append(simCommand(o, log), "--base", engineIteration.String(), "--per-decode", "50us", "--jitter", "5%", "--seed", strconv.FormatUint(o.answer.seed, 10))
	},
	quiet: true, url: jsonURL, read: readTruthRows,
	length: func(o options) time.Duration { return time.Duration(o.answer.tokens+2) * engineIteration },
}

const engineIteration = 15 * time.Millisecond

func simCommand(o options, log string) []string {
	return []string{o.assay, "sim", "--addr", "127.0.0.1:0", "--json", "--attached", "--truth", log}
}

// engine is a real one, which the command line starts: see engine/stamped_serve.py.
func engine(command, model string) target {
	return target{
		name: "real engine", model: model, fields: ", omitBody: [ignore_eos]", stays: true,
		command: func(_ options, log string) []string { return append(strings.Fields(command), log, model) },
		url:     lineURL, read: readStamped,
		length: func(o options) time.Duration { return time.Duration(o.answer.tokens+2) * engineIteration },
	}
}

func fixedLength(o options) time.Duration { return o.answer.length() }

// lineURL reads a line that is the address.
func lineURL(stdout *bufio.Reader) (string, error) {
	line, err := stdout.ReadString('\n')
	return strings.TrimSpace(line), err
}

// jsonURL reads what assay sim --json says first.
func jsonURL(stdout *bufio.Reader) (string, error) {
	line, err := stdout.ReadString('\n')
	if err != nil {
		return "", err
	}
	var ready struct {
		URL string `json:"url"`
	}
	err = json.Unmarshal([]byte(line), &ready)
	return ready.URL, err
}

// readTruthRows reads the truth log of the simulator.
func readTruthRows(data []byte) (answers, error) {
	all := answers{}
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return nil, fmt.Errorf("truth log: %w", err)
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		if row[5] != "token" {
			continue
		}
		var n [3]int64
		for i, column := range []int{2, 7, 8} {
			if n[i], err = strconv.ParseInt(row[column], 10, 64); err != nil {
				return nil, fmt.Errorf("truth log: %w", err)
			}
		}
		id := strings.Clone(row[0])
		a := all[id]
		a.received = n[0]
		a.events = append(a.events, event{due: n[1], written: n[2]})
		all[id] = a
	}
}

// readStamped reads the lines of engine/stamped_serve.py.
func readStamped(data []byte) (answers, error) {
	all := answers{}
	for line := range bytes.Lines(data) {
		var a struct {
			ID       string  `json:"id"`
			Received int64   `json:"received"`
			Tokens   int     `json:"tokens"`
			Written  []int64 `json:"written"`
		}
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, fmt.Errorf("truth log: %w", err)
		}
		one := answer{received: a.Received, tokens: a.Tokens}
		for _, at := range a.Written {
			one.events = append(one.events, event{written: at})
		}
		all[a.ID] = one
	}
	return all, nil
}

// sinceStart reads a log that is still written: whole lines alone.
func sinceStart(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	return data[:bytes.LastIndexByte(data, '\n')+1], err
}
