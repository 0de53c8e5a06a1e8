package main

import (
	"fmt"
	"time"
)

// Every case computes by sleeping, so that the machine's load hardly matters: a
// layer's gradient is ready when its backward sleep is over.
const (
	layers      = 6
	width       = 512 // a layer's gradient is 1 MiB
	layerBytes  = width * width * 4
	forward     = 10 * time.Millisecond
	backward    = 20 * time.Millisecond
	skewSeconds = 5000
)

// onWire is how much longer a full segment is on the wire than its payload: 1514
// bytes of Ethernet frame for 1448 of TCP payload with time stamps.
const onWire = 1514.0 / 1448

// A testCase is one thing that can hold a step up, and what should be said of it.
type testCase struct {
	letter, what string
	rates        [2]float64 // of each rank's way out, bit/s
	bucket       string
	args         []string
	skewed       bool // rank 1 lives in a time namespace of its own
	symmetric    bool // so that the truth about exposed communication is known

	limits   []string // verdicts that are right
	rank     int      // that it must name; -1 for none
	from, to int      // direction that it must name; -1 for none
}

const megabit = 1e6

var cases = []testCase{
	{letter: "A", what: "200 Mbit/s, 6 buckets", rates: [2]float64{200 * megabit, 200 * megabit}, bucket: "1MiB", symmetric: true,
		limits: []string{"exposed_communication", "slow_link"}, rank: -1, from: -1, to: -1},
	{letter: "B", what: "400 Mbit/s, 2 buckets", rates: [2]float64{400 * megabit, 400 * megabit}, bucket: "100MiB", symmetric: true,
		limits: []string{"exposed_communication", "slow_link"}, rank: -1, from: -1, to: -1},
	{letter: "C", what: "100 Mbit/s, 6 buckets", rates: [2]float64{100 * megabit, 100 * megabit}, bucket: "1MiB", symmetric: true,
		limits: []string{"exposed_communication", "slow_link"}, rank: -1, from: -1, to: -1},
	{letter: "D", what: "400 Mbit/s, rank 1 starts 60 ms late", rates: [2]float64{400 * megabit, 400 * megabit}, bucket: "1MiB",
		args: []string{"--emulate-rank", "1", "--emulate-late", "60ms"}, limits: []string{"late_start"}, rank: 1, from: -1, to: -1},
	{letter: "E", what: "rank 1 sends at 100, rank 0 at 400 Mbit/s", rates: [2]float64{400 * megabit, 100 * megabit}, bucket: "1MiB",
		args: []string{"--pairs"}, limits: []string{"slow_direction"}, rank: -1, from: 1, to: 0},
	{letter: "G", what: "400 Mbit/s, rank 1 takes 20 ms longer a layer", rates: [2]float64{400 * megabit, 400 * megabit}, bucket: "1MiB",
		args: []string{"--emulate-rank", "1", "--emulate-slower", "20ms"}, limits: []string{"slow_compute"}, rank: 1, from: -1, to: -1},
	{letter: "T", what: "as C, rank 1's clock 5000 s ahead", rates: [2]float64{100 * megabit, 100 * megabit}, bucket: "1MiB", symmetric: true, skewed: true,
		limits: []string{"exposed_communication", "slow_link"}, rank: -1, from: -1, to: -1},
	{letter: "U", what: "as D, rank 1's clock 5000 s ahead", rates: [2]float64{400 * megabit, 400 * megabit}, bucket: "1MiB", skewed: true,
		args: []string{"--emulate-rank", "1", "--emulate-late", "60ms"}, limits: []string{"late_start"}, rank: 1, from: -1, to: -1},
}

// truth is the exposed communication, in seconds, that follows from the sleeps and
// the link's rate alone: buckets go one after the other, none before its last
// layer's sleep is over.
func (c testCase) truth(buckets []int64) float64 {
	sent, end, ready := int64(0), 0.0, 0.0
	for _, bytes := range buckets {
		sent += bytes
		ready = backward.Seconds() * float64((sent+layerBytes-1)/layerBytes)
		end = max(end, ready) + float64(bytes)*8*onWire/c.rates[0]
	}
	return end - ready
}

// wanted is what should be said, in words.
func (c testCase) wanted() string {
	switch {
	case c.rank >= 0:
		return fmt.Sprintf("%s, rank %d", c.limits[0], c.rank)
	case c.from >= 0:
		return fmt.Sprintf("%s, %d→%d", c.limits[0], c.from, c.to)
	}
	return c.limits[0] + ", nobody"
}
