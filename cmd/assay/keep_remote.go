package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"assay/warehouse"
	"assay/warehouse/objects"
)

// A remoteKeep is the object store that assay keep was given.
type remoteKeep struct{ to, from string }

func (r *remoteKeep) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.to, "to", "", "put the bundles into this object store, s3://BUCKET/PREFIX, in place of the warehouse")
	cmd.Flags().StringVar(&r.from, "from", "", "also keep the bundles of this object store that the warehouse does not know")
}

// put stores bundles remotely, each by itself.
func (r remoteKeep) put(ctx context.Context, env Env, trust trustFlags, bundles []string, quiet bool) (list []warehouse.Kept, err error) {
	list = []warehouse.Kept{}
	store, err := objects.Parse(r.to, lookupIn(env))
	if err != nil {
		return list, usageError(fmt.Errorf("--to %w", err))
	}
	var faults []error
	for _, dir := range bundles {
		j, err := trust.decide(env, dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		m := j.Bundle.Manifest
		digest, isNew, err := store.Put(ctx, dir)
		if err == nil && digest != m.Digest {
			err = fmt.Errorf("%s changed while it was stored", dir)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("keep %s: %w", m.RunID, err))
			continue
		}
		kept := warehouse.Kept{RunID: m.RunID, Digest: digest, Status: m.Status, Dir: r.to, New: isNew}
		list = append(list, kept)
		if quiet {
			continue
		}
		if err := tellKept(env, kept); err != nil {
			return list, err
		}
	}
	return list, errors.Join(faults...)
}

// fetch keeps what the store has and the warehouse has not. Bundles come one at a time
// into a folder beside the others, so that a disk has to hold one of them twice at most.
func (r remoteKeep) fetch(ctx context.Context, env Env, trust trustFlags, place string, bundles []string, again, quiet bool) ([]warehouse.Kept, error) {
	store, err := objects.Parse(r.from, lookupIn(env))
	if err != nil {
		return []warehouse.Kept{}, usageError(fmt.Errorf("--from %w", err))
	}
	list, err := keepAll(ctx, env, trust, place, bundles, again, quiet)
	if err != nil {
		return list, err
	}
	digests, err := store.List(ctx)
	if err != nil {
		return list, err
	}
	var faults []error
	for _, digest := range digests {
		known, err := isKept(ctx, place, digest)
		if err != nil {
			return list, err
		}
		if known {
			continue
		}
		some, err := fetchOne(ctx, env, trust, store, place, digest, quiet)
		list = append(list, some...)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s of the store: %w", digest, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return list, errors.Join(faults...)
}

func fetchOne(ctx context.Context, env Env, trust trustFlags, store objects.Store, place, digest string, quiet bool) (list []warehouse.Kept, err error) {
	folder, err := os.MkdirTemp(place, ".fetched-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	dir := filepath.Join(folder, strings.TrimPrefix(digest, "sha256:"))
	if err := store.Get(ctx, digest, dir); err != nil {
		return nil, err
	}
	j, err := trust.decide(env, dir)
	if err != nil {
		return nil, err
	}
	if got := j.Bundle.Manifest.Digest; got != digest {
		return nil, fmt.Errorf("the object holds another bundle, %s", got)
	}
	return keepAll(ctx, env, trust, place, []string{dir}, false, quiet)
}

// isKept reports whether a warehouse has a bundle.
func isKept(ctx context.Context, place, digest string) (known bool, err error) {
	w, err := warehouse.Open(ctx, place)
	if errors.Is(err, warehouse.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = w.Find(ctx, digest)
	if errors.Is(err, warehouse.ErrUnknownRun) {
		return false, nil
	}
	return err == nil, err
}
