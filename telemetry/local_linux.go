package telemetry

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

func clockSync() (ClockSync, error) {
	var tx unix.Timex // Modes 0: ask, change nothing
	if _, err := unix.Adjtimex(&tx); err != nil {
		return ClockSync{}, fmt.Errorf("adjtimex: %w", err)
	}
	step := time.Microsecond
	if tx.Status&unix.STA_NANO != 0 {
		step = time.Nanosecond
	}
	return ClockSync{
		Synchronised: tx.Status&unix.STA_UNSYNC == 0,
		Offset:       time.Duration(tx.Offset) * step,
		MaxError:     time.Duration(tx.Maxerror) * time.Microsecond,
		Status:       int(tx.Status),
	}, nil
}

func diskSpace(dir string) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Space{}, fmt.Errorf("statfs %s: %w", dir, err)
	}
	size := uint64(st.Bsize)
	return Space{Free: st.Bavail * size, Total: st.Blocks * size}, nil
}
