//go:build !linux

package telemetry

import "errors"

var errNeedsLinux = errors.New("this fact needs Linux")

func clockSync() (ClockSync, error) { return ClockSync{}, errNeedsLinux }

func diskSpace(string) (Space, error) { return Space{}, errNeedsLinux }
