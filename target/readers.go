package target

import "runtime"

// ReaderCount is how many threads read answers where assay reads them itself. One thread
// reads 150,000 events a second. Long before that its answers wait for each other: where
// a hundred and more streams come, half of the processors read, and the others are left
// to what follows.
func (c Config) ReaderCount() int {
	if c.Readers > 0 {
		return c.Readers
	}
	return max(1, min(mostReaders, runtime.NumCPU()/2, 1+c.Connections/streamsForAnother))
}

const (
	mostReaders       = 8
	streamsForAnother = 100
)

// Readers is how many threads of assay's own read answers; zero where net/http does.
func (c *Client) Readers() int {
	if c.engine == nil {
		return 0
	}
	return c.cfg.ReaderCount()
}
