// Package objects keeps sealed bundles in an object store, by the API of S3: where pods
// leave them, and from where warehouses fetch them.
//
//	PREFIX/bundles/ab/abcd….tar   the bundle whose manifest has the digest abcd…
//
// A bundle is one object, written on the condition that there is none of its name. So it
// is there whole or not at all, nothing is overwritten, and two writers of the same bundle
// do not disturb each other. The store has no catalogue: that of a warehouse follows from
// the bundles. What is fetched is believed no more than any bundle of others: its seal is
// checked by whoever keeps it.
package objects

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"assay/intake"
	"assay/target"
)

// A Store is a place in an object store.
type Store struct {
	Bucket, Prefix string

	// Endpoint is the address of the service; empty means Amazon's.
	Endpoint string

	// Lookup finds keys and region, as os.LookupEnv does.
	Lookup func(string) (string, bool)

	// Patience is how long a request is begun again; zero means five minutes. A transfer
	// that moves may take longer.
	Patience time.Duration

	// Idle is how long nothing may move before a request is begun again; zero means a minute.
	Idle time.Duration
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixName = regexp.MustCompile(`^[A-Za-z0-9._/-]*$`)
)

// Parse reads s3://BUCKET/PREFIX. The endpoint is that of AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL, as for Amazon's own tools.
func Parse(text string, lookup func(string) (string, bool)) (Store, error) {
	rest, is := strings.CutPrefix(text, "s3://")
	bucket, prefix, _ := strings.Cut(rest, "/")
	prefix = strings.Trim(prefix, "/")
	if !is || !bucketName.MatchString(bucket) || !prefixName.MatchString(prefix) || prefix != "" && !fs.ValidPath(prefix) {
		return Store{}, fmt.Errorf("%q: want s3://BUCKET/PREFIX, the prefix of letters, digits, dots, dashes, underscores and slashes", text)
	}
	s := Store{Bucket: bucket, Prefix: prefix, Lookup: lookup}
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		if endpoint, ok := lookup(name); ok && endpoint != "" {
			u, err := url.Parse(endpoint)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return s, fmt.Errorf("%s=%q: want http://HOST:PORT or https://HOST", name, endpoint)
			}
			s.Endpoint = strings.TrimSuffix(endpoint, "/")
			break
		}
	}
	return s, nil
}

// address is the URL of an object, or of the bucket where key is empty. A service of its
// own endpoint has the bucket in the path, since few of them have names for buckets.
func (s Store) address(key string) string {
	if s.Endpoint == "" {
		return "https://" + s.Bucket + ".s3.amazonaws.com/" + key
	}
	return s.Endpoint + "/" + s.Bucket + "/" + key
}

// key is the name of the object of a bundle.
func (s Store) key(digest string) string {
	name := strings.TrimPrefix(digest, "sha256:")
	return path.Join(s.Prefix, "bundles", name[:2], name+".tar")
}

// A refusal is an answer of the store that trying again does not change.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// do sends a request until it is answered for good. What the store cannot do just now
// and connections that break are tried again, later each time.
func (s Store) do(ctx context.Context, method, address string, body *os.File, header http.Header, use func(*http.Response) error) error {
	patience := cmp.Or(s.Patience, 5*time.Minute)
	begun := time.Now()
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		err := s.once(ctx, method, address, body, header, use)
		var final *refusal
		switch {
		case err == nil || errors.As(err, &final):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case time.Since(begun)+pause > patience:
			return fmt.Errorf("%s %s: given up after trying again for %v: %w", method, address, patience, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// A moving reader postpones an end as long as something is read.
type moving struct {
	io.ReadCloser
	moved func()
}

func (m moving) Read(p []byte) (int, error) {
	m.moved()
	return m.ReadCloser.Read(p)
}

func (s Store) once(ctx context.Context, method, address string, body *os.File, header http.Header, use func(*http.Response) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := cmp.Or(s.Idle, time.Minute)
	watch := time.AfterFunc(idle, func() { cancel(fmt.Errorf("nothing moved for %v", idle)) })
	defer watch.Stop()
	moved := func() { watch.Reset(idle) }
	r, sum, err := request(ctx, method, address, body)
	if err != nil {
		return &refusal{text: err.Error()}
	}
	moved() // a large body took its time to hash
	if r.Body != nil {
		r.Body = moving{r.Body, moved}
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if err := target.SignS3(r, sum, s.Lookup, time.Now()); err != nil {
		return &refusal{text: err.Error()}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	defer response.Body.Close() // it was read, or is of no use
	response.Body = moving{response.Body, moved}
	switch code := response.StatusCode; {
	case code < 300:
		return use(response)
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code == http.StatusConflict:
		return errors.New(said(response))
	default:
		return &refusal{code, fmt.Sprintf("%s %s: %s", method, address, said(response))}
	}
}

// request is one with a body from a file, which is read anew each time.
func request(ctx context.Context, method, address string, body *os.File) (*http.Request, string, error) {
	sum := sha256.New()
	if body == nil {
		r, err := http.NewRequestWithContext(ctx, method, address, nil)
		return r, hex.EncodeToString(sum.Sum(nil)), err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return nil, "", err
	}
	size, err := io.Copy(sum, body)
	if err != nil {
		return nil, "", err
	}
	r, err := http.NewRequestWithContext(ctx, method, address, io.NopCloser(io.NewSectionReader(body, 0, size)))
	if err == nil {
		r.ContentLength = size
	}
	return r, hex.EncodeToString(sum.Sum(nil)), err
}

// said is what the store says is wrong.
func said(r *http.Response) string {
	data, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	var fault struct{ Code, Message string }
	if err != nil || xml.Unmarshal(data, &fault) != nil || fault.Code == "" {
		return r.Status
	}
	return r.Status + ": " + fault.Code + ": " + fault.Message
}

// mostList bounds a page of a list of a thousand names.
const mostList = 8 << 20

// List is the digests of the bundles in the store.
func (s Store) List(ctx context.Context) (digests []string, err error) {
	var page struct {
		Contents              []struct{ Key string }
		IsTruncated           bool
		NextContinuationToken string
	}
	name := regexp.MustCompile(`^[0-9a-f]{64}\.tar$`)
	for more := true; more; more = page.IsTruncated {
		query := url.Values{"list-type": {"2"}, "prefix": {path.Join(s.Prefix, "bundles") + "/"}}
		if page.NextContinuationToken != "" {
			query.Set("continuation-token", page.NextContinuationToken)
		}
		page.Contents, page.IsTruncated, page.NextContinuationToken = nil, false, ""
		err := s.do(ctx, http.MethodGet, s.address("")+"?"+query.Encode(), nil, nil, func(r *http.Response) error {
			return xml.NewDecoder(intake.Bounded("the list of the store", r.Body, mostList)).Decode(&page)
		})
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			if base := path.Base(object.Key); name.MatchString(base) && s.key(strings.TrimSuffix(base, ".tar")) == object.Key {
				digests = append(digests, "sha256:"+strings.TrimSuffix(base, ".tar"))
			}
		}
		if page.IsTruncated && page.NextContinuationToken == "" {
			return nil, errors.New("the store says that its list goes on, and not where")
		}
	}
	return digests, nil
}
