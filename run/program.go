package run

import (
	"context"
	"errors"

	"assay/target"
)

// startProgram starts the program of a command target, where there is one. It
// prints into the launch's log, and cancels the launch should it end by itself.
// The returned function ends it.
func startProgram(ctx context.Context, cancel context.CancelCauseFunc, cfg *target.ServerConfig, l *activeLaunch) (end func(), err error) {
	if cfg == nil {
		return func() {}, nil
	}
	log, err := l.out.Log("server.log")
	if err != nil {
		return nil, err
	}
	if err := l.client.StartProgram(ctx, log); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	unwatch := watchProgram(l.client, cancel)
	return func() {
		unwatch()
		l.client.Close() // before its log
		_ = log.Close()  // a log is no record; what was written stays
	}, nil
}

// watchProgram cancels the launch when a command's program ends by itself. The
// returned function stops watching.
func watchProgram(client *target.Client, cancel context.CancelCauseFunc) (unwatch func()) {
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

// programFailure is how the program of a command target has ended; nil where it
// lives or there is none.
func programFailure(client *target.Client, cfg *target.ServerConfig) error {
	if cfg == nil {
		return nil
	}
	select {
	case <-client.ProgramEnded():
		return client.ProgramFailure()
	default:
		return nil
	}
}
