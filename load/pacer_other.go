//go:build !linux

package load

import (
	"context"

	"assay/record"
)

// An Exact pacer is as exact as Go's timers on this system.
type Exact struct{ Clock *record.Clock }

var _ Pacer = Exact{}

// Begin implements Pacer.
func (Exact) Begin() {}

// Wait implements Pacer.
func (e Exact) Wait(ctx context.Context, at int64) error { return Timers{e.Clock}.Wait(ctx, at) }
