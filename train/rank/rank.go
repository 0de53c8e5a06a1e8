// Package rank is assay's own worker: one rank of a world that measures the native
// collectives, or the host that it runs on. It needs nothing but the program itself.
//
// It knows how a call is timed and how its answer is looked at. How the call is
// carried out is in package collective, how a rank talks to its controller in
// package worker. Workers over torch are Python's (package workers) and keep to the
// same rules, so that figures can be laid side by side.
package rank

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"assay/collective"
	"assay/launch"
	"assay/plan"
	"assay/worker"
)

// Run is the life of one rank, from hello to bye. Env is the environment that the
// launcher gave it, and prober measures its host; nil means that nobody does.
func Run(ctx context.Context, env func(string) string, version string, prober Prober) error {
	hello := worker.HelloLine{Backend: "native", Device: "cpu", Library: "assay " + version, CommLib: "assay over TCP"}
	if place, ok := launch.FromEnvironment(env); ok {
		hello.Launcher, hello.NodeRank = place.Launcher, place.NodeRank
		env = place.Lookup(env)
	}
	listener, err := listen(env)
	if err != nil {
		return err
	}
	defer listener.Close()
	hello.Listen = listener.Addr().String()
	client, err := worker.Dial(env, hello)
	if err != nil {
		return err
	}
	r := &rank{client: client, listener: listener, secret: env(worker.EnvToken), prober: prober}
	defer r.leave()
	for {
		point, world, err := client.Plan(ctx)
		if err == io.EOF {
			return client.Bye()
		}
		if err == nil {
			err = r.measure(ctx, point, world)
		}
		if err != nil {
			client.Fail(kindOf(err), err)
			return err
		}
		client.EndPoint()
	}
}

// listen opens the door for the peers before anybody is told of it.
func listen(env func(string) string) (net.Listener, error) {
	host, err := worker.Reach(env)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for the other ranks at %s; set %s or %s to an address of this host: %w", host, worker.EnvInterface, worker.EnvAddress, err)
	}
	return listener, nil
}

// A setupError is a point that this worker cannot measure.
type setupError struct{ error }

// errJoin marks that the peers could not be reached.
var errJoin = errors.New("join the other ranks")

// kindOf says whose fault an error is likely to be.
func kindOf(err error) string {
	var setup setupError
	var peer *collective.PeerError
	switch {
	case errors.As(err, &setup):
		return worker.KindSetup
	case errors.As(err, &peer) || errors.Is(err, errJoin):
		return worker.KindCommunication
	}
	return worker.KindInternal
}

// A rank is a worker and its peers.
type rank struct {
	client   *worker.Client
	listener net.Listener // for the peers, until they have come
	secret   string       // of the world
	prober   Prober
	group    *collective.Group
	stop     func() bool // ends the watch over the context
	seq      int64       // number of the next collective in this world
}

// join connects with the peers, once for all points of the world.
func (r *rank) join(ctx context.Context, world worker.WorldLine) error {
	if r.group != nil {
		return nil
	}
	if len(world.Peers) != world.Ranks {
		return setupError{fmt.Errorf("got the addresses of %d peers for %d ranks: every rank must say where it is reached", len(world.Peers), world.Ranks)}
	}
	group, err := collective.Join(ctx, r.client.Rank, r.listener, world.Peers, r.secret, time.Duration(world.Timeout))
	if err != nil {
		return fmt.Errorf("%w: %w", errJoin, err)
	}
	r.group = group
	r.listener.Close() // everybody has come
	r.stop = context.AfterFunc(ctx, func() { group.Close() })
	return nil
}

func (r *rank) leave() {
	if r.group != nil {
		r.stop()
		r.group.Close()
	}
}

func (r *rank) measure(ctx context.Context, point plan.Point, world worker.WorldLine) error {
	if point.Micro != nil {
		return r.probe(ctx, point, world)
	}
	if point.Collective == nil {
		return setupError{fmt.Errorf("%s: the native worker measures collectives and probes only; training needs the backend gloo or nccl", point.Name)}
	}
	if err := r.join(ctx, world); err != nil {
		return err
	}
	if point.Collective.Op == plan.OpPairs {
		return r.pairs(point)
	}
	return r.collective(point)
}

// begin numbers the next collective. Every rank does so for every one, also where
// only others take part.
func (r *rank) begin() int64 {
	it := r.seq
	r.seq++
	r.client.Began(it)
	return it
}

// align lets all ranks begin together.
func (r *rank) align() error { return r.group.Do(collective.Op{Kind: collective.Barrier}) }
