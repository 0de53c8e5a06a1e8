package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"

	"assay/bundle"
	"assay/bundle/parcel"
	"assay/unit"
)

// mostObject is the largest object that one request writes.
const mostObject = 5 << 30

// Put writes the sealed bundle in dir, and reports whether it is new. One that is there
// already stays as it is.
func (s Store) Put(ctx context.Context, dir string) (digest string, isNew bool, err error) {
	seal, err := bundle.Verify(dir)
	if err != nil {
		return "", false, err
	}
	if !seal.Verified {
		return "", false, &bundle.SealError{Seal: seal}
	}
	packed, err := os.CreateTemp("", "assay-bundle-*.tar")
	if err != nil {
		return seal.Digest, false, err
	}
	defer func() { err = errors.Join(err, packed.Close(), os.Remove(packed.Name())) }()
	if err := parcel.Pack(packed, dir); err != nil {
		return seal.Digest, false, fmt.Errorf("pack %s: %w", dir, err)
	}
	info, err := packed.Stat()
	if err == nil && info.Size() > mostObject {
		err = fmt.Errorf("%s is larger than %s, the most that one object may have", dir, unit.Format(mostObject, unit.Byte))
	}
	if err != nil {
		return seal.Digest, false, err
	}
	header := http.Header{"If-None-Match": {"*"}, "Content-Type": {"application/x-tar"}}
	err = s.do(ctx, http.MethodPut, s.address(s.key(seal.Digest)), packed, header, func(r *http.Response) error {
		_, err := io.Copy(io.Discard, r.Body)
		return err
	})
	var answer *refusal
	if errors.As(err, &answer) && answer.status == http.StatusPreconditionFailed {
		return seal.Digest, false, nil // also where an answer was lost on its way
	}
	return seal.Digest, err == nil, err
}

// Address is where a bundle lies, as s3://BUCKET/KEY.
func (s Store) Address(digest string) string { return "s3://" + s.Bucket + "/" + s.key(digest) }

// Get fetches a bundle into the folder to, which must not exist. It is not verified:
// whoever keeps it opens it through the door that does.
func (s Store) Get(ctx context.Context, digest, to string) error {
	return s.do(ctx, http.MethodGet, s.address(s.key(digest)), nil, nil, func(r *http.Response) error {
		// A connection that broke before left a part.
		if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
			return &refusal{text: err.Error()}
		}
		return unpack(r.Body, to)
	})
}

// unpack reads the files of a bundle. What is none, and a disk that is full, are not tried
// again; a connection that broke off is.
func unpack(from io.Reader, to string) error {
	err := parcel.Unpack(from, to)
	var disk *fs.PathError
	if errors.Is(err, parcel.ErrParcel) && !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &disk) {
		return &refusal{text: err.Error()}
	}
	return err
}
