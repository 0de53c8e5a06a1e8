package main

import (
	"context"
	"fmt"
	"os"

	"assay/target/fidelity"
)

// simulate starts this program again as the simulator of a run's calibration. Who keeps
// the client on some processors does so to have them free for it: the simulator runs on
// the others then.
func simulate(ctx context.Context, s fidelity.Schedule) (*fidelity.Simulation, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	spare, err := fidelity.SpareCores()
	if err != nil {
		return nil, err
	}
	return fidelity.Bench{Program: program, Schedule: s, Spare: spare, Senders: fidelity.Senders(spare)}.Simulate(ctx)
}

// senders is how many processors that simulator sends from.
func senders() int {
	spare, err := fidelity.SpareCores()
	if err != nil {
		return 1 // simulate says why
	}
	return fidelity.Senders(spare)
}
