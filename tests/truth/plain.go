package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
)

// plainColumn runs the plain client in C at the load. Only its reads and its processor
// time are known.
func (o options) plainColumn(ctx context.Context, p place, l load) (column, error) {
	server, err := startServer(ctx, o, p)
	if err != nil {
		return column{}, err
	}
	said, runErr := o.runPlain(ctx, p, l, server.url)
	if _, err := server.answers(); err != nil || runErr != nil {
		return column{}, errors.Join(runErr, err)
	}
	var counted struct {
		Reads, Events int
		CPU           float64 `json:"cpu_ns"`
	}
	if err := json.Unmarshal(said, &counted); err != nil {
		return column{}, fmt.Errorf("the plain client said %q: %w", said, err)
	}
	return column{name: "plain C", cpu: counted.CPU / 1e9, events: counted.Events, reads: counted.Reads}, nil
}

func (o options) runPlain(ctx context.Context, p place, l load, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	said, err := p.command(ctx, o.client, u.Port(), strconv.Itoa(l.users), strconv.Itoa(o.answer.tokens),
		nanoseconds(o.warmup/2), nanoseconds(o.warmup+o.duration)).Output()
	if err != nil {
		return nil, fmt.Errorf("the plain client: %w", err)
	}
	return said, nil
}
