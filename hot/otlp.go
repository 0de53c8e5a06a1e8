package hot

import (
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

// otlpMetrics is an ExportMetricsServiceRequest. MetricsData is the same on the wire, and
// its package does not bring gRPC.
func otlpMetrics(list []*dto.MetricFamily, now time.Time) ([]byte, map[string]string, error) {
	var metrics []*metricspb.Metric
	for _, f := range list {
		m := &metricspb.Metric{Name: f.GetName(), Description: f.GetHelp()}
		var points []*metricspb.NumberDataPoint
		for _, of := range f.Metric {
			point := &metricspb.NumberDataPoint{TimeUnixNano: uint64(now.UnixNano()), Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: value(of)}}
			for _, l := range of.Label {
				point.Attributes = append(point.Attributes, text(l.GetName(), l.GetValue()))
			}
			points = append(points, point)
		}
		if f.GetType() == dto.MetricType_COUNTER {
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
