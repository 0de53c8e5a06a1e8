package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"

	"assay/unit"
)

// Dataloader measures how fast samples come out of files as batches: read, checked,
// turned into numbers and gathered, in shuffled order.
var Dataloader = Probe{
	Name: "dataloader",
	Doc:  "batches of 64 samples of 4 KiB out of shards on disk, shuffled, checked and turned into float32",
	open: openDataloader,
}

// The shape of the synthetic data.
const (
	sampleBytes     = 4 << 10
	samplesPerShard = 2048
	shardCount      = 8
	batchSamples    = 64
)

func openDataloader(_ context.Context, s *Setting) ([]variant, func() error, error) {
	dir, err := os.MkdirTemp(s.Dir, "assay-shards-*")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	files, err := writeShards(dir, int(max(1, s.most(shardCount*samplesPerShard*sampleBytes)/(samplesPerShard*sampleBytes))))
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	s.Note(fmt.Sprintf("dataloader: %d shards of %s, which the page cache holds after the first pass", len(files), unit.Bytes(samplesPerShard*sampleBytes)))
	var list []variant
	for _, threads := range threadsOf(s) {
		list = append(list, loaderVariant(files, threads))
	}
	return list, func() error {
		var errs []error
		for _, f := range files {
			errs = append(errs, f.Close())
		}
		return errors.Join(append(errs, remove())...)
	}, nil
}

// writeShards makes files of samples, each of which ends with its checksum.
func writeShards(dir string, count int) (files []*os.File, err error) {
	free, _, err := volume(dir)
	if err != nil {
		return nil, err
	}
	if free < int64(count)*samplesPerShard*sampleBytes+room {
		return nil, fmt.Errorf("%s has %s free, too little for %d shards: choose another folder (--dir)", dir, unit.Bytes(free), count)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	shard := make([]byte, samplesPerShard*sampleBytes)
	for i := range count {
		for at := 0; at < len(shard); at += 8 {
			binary.LittleEndian.PutUint64(shard[at:], rng.Uint64())
		}
		for at := 0; at < len(shard); at += sampleBytes {
			sample := shard[at : at+sampleBytes]
			binary.LittleEndian.PutUint32(sample[sampleBytes-4:], crc32.ChecksumIEEE(sample[:sampleBytes-4]))
		}
		name := filepath.Join(dir, fmt.Sprintf("shard-%02d", i))
		if err := os.WriteFile(name, shard, 0o600); err != nil {
			return nil, err
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// A loader is one thread that makes batches.
type loader struct {
	rng    *rand.Rand
	sample [sampleBytes]byte
	batch  []float32
	wrong  int64
	err    error
}

func loaderVariant(files []*os.File, threads int) variant {
	members := &crew[*loader]{}
	samples := int64(batchSamples * threads)
	return variant{
		name: "batches", threads: threads, size: sampleBytes, bytes: samples * sampleBytes, operations: samples,
		begin: func() error {
			*members = newCrew(threads, func(i int) *loader {
				return &loader{rng: rand.New(rand.NewPCG(uint64(i), 5)), batch: make([]float32, batchSamples*sampleBytes)}
			})
			return nil
		},
		end: func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(l **loader) {
				for range iterations {
					(*l).load(files)
				}
			})
			var errs []error
			for _, l := range members.own {
				errs = append(errs, l.err)
			}
			return errors.Join(errs...)
		},
		settle: func() (int64, *int64, error) {
			return members.sum(func(l **loader) int64 { n := (*l).wrong; (*l).wrong = 0; return n }), nil, nil
		},
	}
}

// load makes one batch of samples from anywhere.
func (l *loader) load(files []*os.File) {
	for i := range batchSamples {
		file, at := files[l.rng.IntN(len(files))], l.rng.Int64N(samplesPerShard)*sampleBytes
		if _, err := file.ReadAt(l.sample[:], at); err != nil {
			l.err = err
			return
		}
		if crc32.ChecksumIEEE(l.sample[:sampleBytes-4]) != binary.LittleEndian.Uint32(l.sample[sampleBytes-4:]) {
			l.wrong++
		}
		to := l.batch[i*sampleBytes:][:sampleBytes]
		for j, b := range l.sample {
			to[j] = float32(b)/127.5 - 1
		}
	}
}
