package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// fidelity measures closed loops: assay, then the plain client and vllm-bench where they
// are given, on the same cores and against the same server.
func fidelity(ctx context.Context, o options) error {
	p, err := placeFor(o.clientCores)
	if err != nil {
		return err
	}
	p.head(o)
	if o.users == nil {
		o.users = []int{1, 100, 1000}
	}
	for _, users := range o.users {
		if err := o.fidelityAt(ctx, p, load{users: users}); err != nil {
			return err
		}
	}
	return nil
}

func (o options) fidelityAt(ctx context.Context, p place, l load) error {
	columns, own, err := o.assayColumns(ctx, p, l)
	if err != nil {
		return err
	}
	ours := len(columns)
	if o.peer != "" {
		peer, err := o.peerColumn(ctx, p, l)
		if err != nil {
			return err
		}
		columns = append(columns, peer)
	}
	if o.client != "" {
		plain, err := o.plainColumn(ctx, p, l)
		if err != nil {
			return err
		}
		columns = append(columns, plain)
	}
	print(l, figures, columns)
	own.print()
	for _, other := range columns[ours:] {
		beside(columns[:ours], other)
	}
	return nil
}

// assayColumns makes one run and compares each of its launches with the truth.
func (o options) assayColumns(ctx context.Context, p place, l load) (columns []column, own ownBound, err error) {
	m, done, err := o.measure(ctx, p, l)
	if err != nil {
		return nil, own, err
	}
	defer func() { err = errors.Join(err, done()) }()
	for _, launch := range m.bundle.Launches() {
		c, err := m.compare(launch)
		if err != nil {
			return nil, own, fmt.Errorf("launch %d at %v: %w", launch.Index+1, l, err)
		}
		columns = append(columns, c)
	}
	return columns, m.ownBound(columns), nil
}

// beside says how many times larger the errors of another client are than those of the
// median launch of assay.
func beside(ours []column, other column) {
	for _, f := range []struct {
		name string
		of   func(column) float64
	}{
		{"TTFT error p50", func(c column) float64 { return c.ttft.at(.5) }},
		{"TTFT error p99", func(c column) float64 { return c.ttft.at(.99) }},
		{"gap error p99", func(c column) float64 { return c.gap.at(.99) }},
	} {
		own, its := median(ours, f.of), f.of(other)
		if !math.IsNaN(own) && !math.IsNaN(its) {
			fmt.Printf("%s: that of %s is %.1f times assay's\n", f.name, other.name, its/own)
		}
	}
	if its := other.readsPerCPU(); !math.IsNaN(its) {
		fmt.Printf("reads per CPU second: assay makes %.2f times those of %s (aim at least 0.8)\n", median(ours, column.readsPerCPU)/its, other.name)
	}
}

func median(columns []column, of func(column) float64) float64 {
	var list []float64
	for _, c := range columns {
		list = append(list, of(c))
	}
	slices.Sort(list)
	return list[len(list)/2]
}
