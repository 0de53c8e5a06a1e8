//go:build !linux

package child

import (
	"errors"
	"os/exec"
)

// At refuses every place: only Linux lets a process be placed.
func At(cpus []int, node int, _ func(string) ([]int, error)) (Place, error) {
	if len(cpus) > 0 || node >= 0 {
		return Place{}, errors.New("processes can be placed on Linux alone")
	}
	return Place{}, nil
}

// Start starts cmd, which At has placed nowhere.
func (p Place) Start(cmd *exec.Cmd) error { return cmd.Start() }
