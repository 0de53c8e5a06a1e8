package target

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is a protobuf message being written.
type message []byte

func (m *message) bytes(field protowire.Number, value []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, value)
}

func (m *message) text(field protowire.Number, value string) { m.bytes(field, []byte(value)) }

func (m *message) varint(field protowire.Number, value uint64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, value)
}

func (m *message) double(field protowire.Number, value float64) {
	*m = protowire.AppendTag(*m, field, protowire.Fixed64Type)
	*m = protowire.AppendFixed64(*m, math.Float64bits(value))
}

// parameter writes one entry of a map of InferParameter.
func (m *message) parameter(field protowire.Number, name string, value any) error {
	var parameter, entry message
	switch v := value.(type) {
	case bool:
		parameter.varint(1, protowire.EncodeBool(v))
	case string:
		parameter.text(3, v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			parameter.varint(2, uint64(n))
		} else if f, err := v.Float64(); err == nil {
			parameter.double(4, f)
		} else {
			return fmt.Errorf("target.extraBody.parameters.%s: %w", name, err)
		}
	default:
		return fmt.Errorf("target.extraBody.parameters.%s: got %v, want text, a number, true or false", name, value)
	}
	entry.text(1, name)
	entry.bytes(2, parameter)
	m.bytes(field, entry)
	return nil
}

// element writes one element of a tensor.
func (m *message) element(field protowire.Number, value any) error {
	bad := fmt.Errorf("data %v does not fit the datatype", value)
	switch v := value.(type) {
	case string:
		if field != contentFields["BYTES"] {
			return bad
		}
		m.text(field, v)
	case bool:
		if field != contentFields["BOOL"] {
			return bad
		}
		m.varint(field, protowire.EncodeBool(v))
	case json.Number:
		switch field {
		case contentFields["FP32"], contentFields["FP64"]:
			f, err := v.Float64()
			if err != nil {
				return bad
			}
			if field == contentFields["FP64"] {
				m.double(field, f)
				return nil
			}
			*m = protowire.AppendTag(*m, field, protowire.Fixed32Type)
			*m = protowire.AppendFixed32(*m, math.Float32bits(float32(f)))
		case contentFields["UINT64"]:
			n, err := strconv.ParseUint(v.String(), 10, 64)
			if err != nil {
				return bad
			}
			m.varint(field, n)
		case contentFields["INT32"], contentFields["INT64"], contentFields["UINT32"]:
			n, err := v.Int64()
			if err != nil {
				return bad
			}
			m.varint(field, uint64(n))
		default:
			return bad
		}
	default:
		return bad
	}
	return nil
}

// eachField calls yield with every field of a message: the value of one that is
// a varint, the bytes of one that has a length.
func eachField(data []byte, yield func(number protowire.Number, value uint64, field []byte) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("message of gRPC: %w", protowire.ParseError(n))
		}
		data = data[n:]
		var value uint64
		var field []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			field, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return fmt.Errorf("message of gRPC: %w", protowire.ParseError(n))
		}
		data = data[n:]
		if err := yield(number, value, field); err != nil {
			return err
		}
	}
	return nil
}
