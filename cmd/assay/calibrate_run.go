package main

import (
	"context"
	"fmt"
	"os"

	"assay/target/fidelity"
)

// simulate starts this program again as the simulator of a run's calibration. It
// is bound to no processor: the run's client is bound to none either.
func simulate(ctx context.Context, s fidelity.Schedule) (*fidelity.Simulation, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return fidelity.Bench{Program: program, Schedule: s}.Simulate(ctx)
}
