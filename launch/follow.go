package launch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"time"

	"assay/door"
)

// Workers are the commands that a rank may start, by the name that a leader asks for.
type Workers map[string][]string

// Follow serves a leader until it lets go: it starts one of its own workers for every
// world that has a place for this rank. Log takes what the worker prints.
func Follow(ctx context.Context, here Environment, m Meeting, workers Workers, log io.Writer) error {
	conn, decoder, err := reach(ctx, here, m)
	if err != nil {
		return fmt.Errorf("rank %d: reach rank 0 at %s: %w", here.Rank, m.Address, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	encoder := json.NewEncoder(conn)
	var world World
	var told sync.WaitGroup
	defer func() {
		if world != nil {
			world.Stop(time.Second)
		}
		told.Wait()
	}()
	for {
		var c call
		if err := decoder.Decode(&c); err != nil {
			return context.Cause(ctx) // the leader let go
		}
		switch {
		case c.Start != nil:
			told.Wait() // the ends of the world before have been reported
			started, err := start(ctx, here, *c.Start, workers, log)
			if err != nil {
				_ = encoder.Encode(answer{Rank: here.Rank, Error: err.Error()})
				continue
			}
			world = started
			told.Go(func() {
				exit := <-started.Ended()
				_ = encoder.Encode(answer{Rank: here.Rank, Exit: &exit})
			})
		case c.Stop != nil && world != nil:
			world.Stop(c.Stop.Grace)
		}
	}
}

// ownVariables is how the names of all variables begin that a leader may set. Others,
// such as PATH or LD_PRELOAD, would let it choose what runs here after all.
const ownVariables = "ASSAY_"

// start starts a worker of this rank's own.
func start(ctx context.Context, here Environment, job seatedJob, workers Workers, log io.Writer) (World, error) {
	command := workers[job.Worker]
	if len(command) == 0 {
		return nil, fmt.Errorf("rank %d was asked for the worker %q, which its own command line does not call for: start every rank with the same options", here.Rank, job.Worker)
	}
	for _, pair := range job.Env {
		if !strings.HasPrefix(pair, ownVariables) {
			name, _, _ := strings.Cut(pair, "=")
			return nil, fmt.Errorf("rank %d was asked to set %q: a leader may set variables of assay only", here.Rank, name)
		}
	}
	own := Job{
		Ranks: 1, Command: command, Env: job.Env, Master: job.Master,
		Log:  func(int) io.Writer { return log },
		seat: &seat{Rank: here.Rank, Ranks: job.Ranks, Local: here.LocalRank, LocalRanks: here.LocalWorld},
	}
	if len(job.Input) > 0 {
		own.Input = func(int) []byte { return job.Input }
	}
	return Local{}.Start(ctx, own)
}

// mostStrangers is how often somebody who does not know the secret may answer before a
// follower gives up. Once is no surprise: it may have read the secret that the job
// before left, a moment before the leader made a new one.
const mostStrangers = 3

// meetWithin is how long ranks wait for rank 0: they start in any order.
const meetWithin = time.Minute

// reach dials until rank 0 is there and both know each other. The decoder reads what
// it says after that.
func reach(ctx context.Context, here Environment, m Meeting) (net.Conn, *json.Decoder, error) {
	ctx, cancel := context.WithTimeout(ctx, meetWithin)
	defer cancel()
	strangers := 0
	for {
		secret, err := m.Secret()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		var conn net.Conn
		var decoder *json.Decoder
		if err == nil {
			conn, decoder, err = knock(ctx, here, m, secret)
		}
		var noTLS tls.RecordHeaderError
		switch {
		case err == nil:
			return conn, decoder, nil
		case errors.Is(err, door.ErrStranger) || errors.As(err, &noTLS):
			if strangers++; strangers == mostStrangers {
				return nil, nil, fmt.Errorf("whoever listens there is not rank 0 of this job, or of another version of assay: %w. Nothing was told to it, and nothing is started for it", door.ErrStranger)
			}
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("%w: rank 0 runs the same command; ASSAY_MEETING=HOST:PORT says where ranks meet and %s by what they know each other, the same for every rank", err, envSecret)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// welcomeWithin is how long rank 0 may take to greet.
const welcomeWithin = 10 * time.Second

// knock tries once.
func knock(ctx context.Context, here Environment, m Meeting, secret string) (net.Conn, *json.Decoder, error) {
	config, err := following.channel(secret, m.Job)
	if err != nil {
		return nil, nil, err
	}
	plain, err := new(net.Dialer).DialContext(ctx, "tcp", m.Address)
	if err != nil {
		return nil, nil, err
	}
	conn := tls.Client(plain, config)
	_ = conn.SetDeadline(time.Now().Add(welcomeWithin))
	decoder := json.NewDecoder(conn)
	var first call
	err = conn.HandshakeContext(ctx)
	if err == nil {
		err = json.NewEncoder(conn).Encode(answer{Rank: here.Rank})
	}
	if err == nil {
		err = decoder.Decode(&first)
	}
	if err == nil && !first.Welcome {
		err = errors.New("it does not welcome this rank")
	}
	if err != nil {
		plain.Close()
		return nil, nil, err
	}
	return conn, decoder, conn.SetDeadline(time.Time{})
}
