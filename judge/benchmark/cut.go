package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"assay/bundle"
	"assay/record"
)

// cut writes the tables of every launch of a bundle that is not sealed anew, in
// so many segments.
func cut(dir string, launches, segments int) error {
	b, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	for launch := range launches {
		if err := errors.Join(
			cutTable[record.Request](b, launch, bundle.Requests, segments),
			cutTable[record.Chunk](b, launch, bundle.Chunks, segments),
		); err != nil {
			return fmt.Errorf("launch %d: %w", launch, err)
		}
	}
	return nil
}

func cutTable[T any](b *bundle.Bundle, launch int, table string, segments int) error {
	var rows []T
	for row, err := range bundle.Rows[T](b, launch, table) {
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	folder := filepath.Join(b.Dir, "raw", fmt.Sprintf("launch-%02d", launch))
	old, err := filepath.Glob(filepath.Join(folder, table+"-*.parquet"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for i := range segments {
		part := rows[i*len(rows)/segments : (i+1)*len(rows)/segments]
		if err := writeSegment(filepath.Join(folder, fmt.Sprintf("%s-%05d.parquet", table, i)), part); err != nil {
			return err
		}
	}
	return nil
}

func writeSegment[T any](path string, rows []T) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[T](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}))
	_, err = w.Write(rows)
	return errors.Join(err, w.Close(), f.Close())
}
