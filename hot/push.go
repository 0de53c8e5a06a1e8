package hot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/klauspost/compress/snappy"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"

	"assay/secret"
)

// A push is one address that samples go to.
type push struct {
	name, address string
	headers       http.Header
	encode        func(list []*dto.MetricFamily, now time.Time) (body []byte, headers map[string]string, err error)
}

// pushWithin bounds one push: a receiver that hangs costs a few samples.
const pushWithin = 5 * time.Second

func (p push) send(ctx context.Context, list []*dto.MetricFamily, now time.Time) error {
	body, headers, err := p.encode(list, now)
	if err != nil {
		return err
	}
	return p.post(ctx, body, headers)
}

// post sends a body once. Its errors do not hold the address: it may have a secret in it.
func (p push) post(ctx context.Context, body []byte, headers map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, pushWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is none")
	}
	request.Header = p.headers.Clone()
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("User-Agent", "assay")
	client := &http.Client{CheckRedirect: secret.SameHost}
	response, err := client.Do(request)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		return err
	}
	response.Body.Close() // what it says is its own affair
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %s", response.Status)
	}
	return nil
}

// remoteWrite is a WriteRequest of remote write 1.0. Four small messages are written here
// by hand: Prometheus' own module brings half of Prometheus with it.
func remoteWrite(list []*dto.MetricFamily, now time.Time) ([]byte, map[string]string, error) {
	var out []byte
	pair := func(name, value string) []byte {
		b := protowire.AppendTag(nil, 1, protowire.BytesType)
		b = protowire.AppendString(b, name)
		b = protowire.AppendTag(b, 2, protowire.BytesType)
		return protowire.AppendString(b, value)
	}
	inside := func(b []byte, number protowire.Number, message []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), message)
	}
	for _, f := range list {
		for _, m := range f.Metric {
			series := inside(nil, 1, pair("__name__", f.GetName())) // sorts before every label of ours
			for _, l := range m.Label {
				series = inside(series, 1, pair(l.GetName(), l.GetValue()))
			}
			sample := protowire.AppendTag(nil, 1, protowire.Fixed64Type)
			sample = protowire.AppendFixed64(sample, math.Float64bits(value(m)))
			sample = protowire.AppendTag(sample, 2, protowire.VarintType)
			sample = protowire.AppendVarint(sample, uint64(now.UnixMilli()))
			out = inside(out, 1, inside(series, 2, sample))
		}
	}
	return snappy.Encode(nil, out), map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0",
	}, nil
}

func value(m *dto.Metric) float64 {
	if m.Counter != nil {
		return m.Counter.GetValue()
	}
	return m.Gauge.GetValue()
}
