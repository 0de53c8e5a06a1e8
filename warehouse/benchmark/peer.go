package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
)

// A peer is a program that is asked about the first series of each row, JSON in, JSON out: the
// places that it sees after each number of runs.
type peer struct {
	command []string // empty: it is not asked
	series  int
}

// see asks about every look at the first of the histories, on every core.
func (p peer) see(list []history) ([][][]int, error) {
	list = list[:min(p.series, len(list))]
	seen, failed := make([][][]int, len(list)), make([]error, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for core := range failed {
		all.Go(func() {
			from, to := core*len(list)/len(failed), (core+1)*len(list)/len(failed)
			answer, err := p.ask(list[from:to])
			copy(seen[from:to], answer)
			failed[core] = err
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return seen, nil
}

func (p peer) ask(list []history) (places [][][]int, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	in, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &places)
	}
	if err == nil && len(places) != len(list) {
		err = fmt.Errorf("it answered about %d histories and was asked about %d", len(places), len(list))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.command[0], err)
	}
	return places, nil
}

// steps is the cell of a row of steps.
func (p peer) steps(list []history) (string, error) {
	if len(p.command) == 0 {
		return notAsked, nil
	}
	seen, err := p.see(list)
	return steps(list, seen).withVanished(), err
}

// quiet is the cell of a row without one.
func (p peer) quiet(list []history) (string, error) {
	if len(p.command) == 0 {
		return notAsked, nil
	}
	seen, err := p.see(list)
	return quiet(seen).String(), err
}

const notAsked = "not asked"
