package main

import (
	"fmt"
	"runtime"
	"time"

	"assay/bundle"
	"assay/judge"
)

// benchDoor judges the bundle in dir through the door that checks its seal and
// without it, in turns, and prints what the check adds. It fails when the check did
// not take place.
func benchDoor(dir string, rounds int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	fmt.Printf("\n%10s %12s %12s %8s\n", "round", "believed s", "verified s", "added")
	var plain, checked time.Duration
	for round := range rounds {
		believed, verified, err := oneRound(dir, round%2 == 1)
		if err != nil {
			return err
		}
		plain, checked = plain+believed, checked+verified
		fmt.Printf("%10d %12.2f %12.2f %7.1f%%\n", round+1, believed.Seconds(), verified.Seconds(), added(believed, verified))
	}
	fmt.Printf("%10s %12.2f %12.2f %7.1f%%\n", "all", plain.Seconds(), checked.Seconds(), added(plain, checked))
	return nil
}

// oneRound judges the bundle both ways; what comes second finds warmer caches, so the
// order changes from round to round.
func oneRound(dir string, verifiedFirst bool) (believed, verified time.Duration, err error) {
	if verifiedFirst {
		if verified, err = timed(func() error { return verify(dir) }); err != nil {
			return 0, 0, err
		}
	}
	if believed, err = timed(func() error { return believe(dir) }); err != nil || verifiedFirst {
		return believed, verified, err
	}
	verified, err = timed(func() error { return verify(dir) })
	return believed, verified, err
}

func added(plain, checked time.Duration) float64 {
	return 100 * (checked.Seconds()/plain.Seconds() - 1)
}

// believe judges what the folder holds.
func believe(dir string) error {
	b, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	_, err = judge.Of(b, judge.Options{Version: "benchmark"})
	return err
}

// verify judges what was sealed.
func verify(dir string) error {
	j, err := judge.Open(dir, judge.Options{Version: "benchmark"})
	if err == nil && !j.Bundle.Seal.Verified {
		err = fmt.Errorf("%s was not verified", dir)
	}
	return err
}

// timed is how long do takes after the memory of what came before is free.
func timed(do func() error) (time.Duration, error) {
	runtime.GC()
	start := time.Now()
	err := do()
	return time.Since(start), err
}
