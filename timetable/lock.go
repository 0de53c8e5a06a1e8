package timetable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockEvery is how often a lock is asked for again.
const lockEvery = 500 * time.Millisecond

// lock has a folder of states for one process. The kernel gives it up when the process
// ends, however it does. A caller that comes from a timer waits for its turn.
func lock(ctx context.Context, path string, wait bool) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || !wait {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(lockEvery):
		}
	}
	return nil, errors.Join(fmt.Errorf("another runner works in this folder of states (%s: %w): end it, or give --state another folder", path, err), f.Close())
}
