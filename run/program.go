package run

import (
	"context"
	"errors"

	"assay/bundle"
	"assay/target"
)

// newClient makes the client of a launch. A command's program is started with
// it, prints into the launch's log, and cancels the launch should it end by
// itself. The returned function ends both.
func newClient(ctx context.Context, cancel context.CancelCauseFunc, cfg target.Config, dialect target.Dialect, l *launching, out *bundle.Launch) (leave func(), err error) {
	closeLog := func() error { return nil }
	if cfg.Program != nil {
		log, err := out.Log("server.log")
		if err != nil {
			return nil, err
		}
		cfg.ProgramLog, closeLog = log, log.Close
	}
	if l.client, err = target.New(cfg, dialect, l.clock); err != nil {
		return nil, errors.Join(err, closeLog())
	}
	if err := l.client.StartProgram(ctx); err != nil {
		l.client.Close()
		return nil, errors.Join(err, closeLog())
	}
	unwatch := watchProgram(l.client, cancel)
	return func() {
		unwatch()
		l.client.Close()
		_ = closeLog() // a log is no record; what was written stays
	}, nil
}

// watchProgram cancels the launch when a command's program ends by itself. The
// returned function stops watching.
func watchProgram(client *target.Client, cancel context.CancelCauseFunc) (unwatch func()) {
	if client.ProgramEnded() == nil {
		return func() {}
	}
	over, watched := make(chan struct{}), make(chan struct{})
	go func() { // ends when unwatch is called or the program has ended
		defer close(watched)
		select {
		case <-client.ProgramEnded():
			cancel(client.ProgramFailure())
		case <-over:
		}
	}()
	return func() {
		close(over)
		<-watched
	}
}
