//go:build !cgo || !linux

package telemetry

import "errors"

func openNVML() (GPUs, error) {
	return nil, errors.New("this binary was built without cgo, which NVML needs")
}
