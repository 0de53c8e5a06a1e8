package hot

import (
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
)

// protobufBody is the header of OTLP over HTTP.
var protobufBody = map[string]string{"Content-Type": "application/x-protobuf"}

// resource names who measured.
func resource() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text("service.name", "assay")}}
}

func text(name, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func integer(name string, value int64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}}}
}

func scope() *commonpb.InstrumentationScope { return &commonpb.InstrumentationScope{Name: "assay"} }

// units are what the endings of names mean, in the codes that OTLP wants (UCUM); the first
// that fits counts.
var units = []struct{ ending, code string }{
	{"_seconds", "s"}, {"_ratio", "1"}, {"_watts", "W"}, {"_tokens_per_second", "{token}/s"}, {"_requests_per_second", "{request}/s"},
	{"_requests_in_flight", "{request}"}, {"_total", "{request}"},
}

// unitOf is empty for what has none.
func unitOf(name string) string {
	for _, u := range units {
		if strings.HasSuffix(name, u.ending) {
			return u.code
		}
	}
	return ""
}

// otlpSince encodes what is counted since a run began.
func otlpSince(begun time.Time) func([]*dto.MetricFamily, time.Time) ([]byte, map[string]string, error) {
	return func(list []*dto.MetricFamily, now time.Time) ([]byte, map[string]string, error) {
		return otlpMetrics(list, begun, now)
	}
}

// otlpMetrics is an ExportMetricsServiceRequest. MetricsData is the same on the wire, and
// its package does not bring gRPC.
func otlpMetrics(list []*dto.MetricFamily, begun, now time.Time) ([]byte, map[string]string, error) {
	var metrics []*metricspb.Metric
	for _, f := range list {
		m := &metricspb.Metric{Name: f.GetName(), Description: f.GetHelp(), Unit: unitOf(f.GetName())}
		var points []*metricspb.NumberDataPoint
		for _, of := range f.Metric {
			point := &metricspb.NumberDataPoint{TimeUnixNano: uint64(now.UnixNano()), Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: value(of)}}
			for _, l := range of.Label {
				point.Attributes = append(point.Attributes, text(l.GetName(), l.GetValue()))
			}
			points = append(points, point)
		}
		if f.GetType() == dto.MetricType_COUNTER {
			for _, point := range points {
				point.StartTimeUnixNano = uint64(begun.UnixNano())
			}
			m.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{
				DataPoints: points, IsMonotonic: true, AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
			}}
		} else {
			m.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: points}}
		}
		metrics = append(metrics, m)
	}
	body, err := proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: resource(), ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: scope(), Metrics: metrics}},
	}}})
	return body, protobufBody, err
}
