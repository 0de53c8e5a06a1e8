package target

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"assay/record"
)

// kserveGRPC is the Open Inference Protocol, version 2, over gRPC, as Triton and
// TensorRT-LLM's models in it speak it: ModelStreamInfer for streams, ModelInfer
// otherwise. The few messages are written and read field by field; the numbers
// are those of grpc_service.proto.
type kserveGRPC struct{}

var _ Dialect = kserveGRPC{}

const grpcInference = "/inference.GRPCInferenceService/"

func (kserveGRPC) Path() string { return grpcInference + "ModelStreamInfer" }

func (kserveGRPC) Shape(ask Ask) Shape {
	if ask.Stream {
		return grpcShape(grpcInference + "ModelStreamInfer")
	}
	return grpcShape(grpcInference + "ModelInfer")
}

// A kserveTensor is an input as a person would write it.
type kserveTensor struct {
	Name     string  `json:"name"`
	DataType string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
	Data     []any   `json:"data"`
}

// kserveFields are the extra fields that a spec may give.
type kserveFields struct {
	Inputs     []kserveTensor          `json:"inputs"`
	Outputs    []struct{ Name string } `json:"outputs"`
	Parameters map[string]any          `json:"parameters"`
}

// Encode implements Dialect. An input of the user's replaces ours of the same
// name.
func (kserveGRPC) Encode(call record.Call, ask Ask) ([]byte, error) {
	extra, err := kserveExtra(ask.ExtraBody)
	if err != nil {
		return nil, err
	}
	inputs := []kserveTensor{{Name: "text_input", DataType: "BYTES", Data: []any{call.Prompt}}}
	add := func(name, kind string, value any) {
		inputs = append(inputs, kserveTensor{Name: name, DataType: kind, Data: []any{value}})
	}
	if call.OutputTokens > 0 {
		add("max_tokens", "INT32", json.Number(strconv.Itoa(int(call.OutputTokens))))
	}
	if ask.Temperature != nil {
		add("temperature", "FP32", json.Number(strconv.FormatFloat(*ask.Temperature, 'g', -1, 64)))
	}
	if ask.Stream {
		add("stream", "BOOL", true)
	}
	for _, theirs := range extra.Inputs {
		inputs = slices.DeleteFunc(inputs, func(ours kserveTensor) bool { return ours.Name == theirs.Name })
		inputs = append(inputs, theirs)
	}
	var out message
	out.text(1, ask.Model)
	out.text(3, strconv.FormatInt(call.ID, 10))
	for _, name := range sortedKeys(extra.Parameters) {
		if err := out.parameter(4, name, extra.Parameters[name]); err != nil {
			return nil, err
		}
	}
	for _, input := range inputs {
		tensor, err := input.encode()
		if err != nil {
			return nil, fmt.Errorf("target.extraBody.inputs %s: %w", input.Name, err)
		}
		out.bytes(5, tensor)
	}
	if len(extra.Outputs) == 0 {
		extra.Outputs = []struct{ Name string }{{"text_output"}}
	}
	for _, output := range extra.Outputs {
		var requested message
		requested.text(1, output.Name)
		out.bytes(6, requested)
	}
	return grpcMessage(out), nil
}

// kserveExtra reads the user's extra fields, whatever form their numbers have.
func kserveExtra(body map[string]any) (kserveFields, error) {
	var extra kserveFields
	data, err := json.Marshal(body)
	if err != nil {
		return extra, fmt.Errorf("target.extraBody: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(&extra); err != nil {
		return extra, fmt.Errorf("target.extraBody: %w; kserve-grpc takes inputs (name, datatype, shape, data), outputs (name) and parameters", err)
	}
	return extra, nil
}

func sortedKeys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// contentFields are the fields of InferTensorContents that hold each datatype.
var contentFields = map[string]protowire.Number{
	"BOOL": 1, "INT8": 2, "INT16": 2, "INT32": 2, "INT64": 3,
	"UINT8": 4, "UINT16": 4, "UINT32": 4, "UINT64": 5, "FP32": 6, "FP64": 7, "BYTES": 8,
}

func (t kserveTensor) encode() ([]byte, error) {
	field, ok := contentFields[t.DataType]
	if !ok {
		return nil, fmt.Errorf("datatype %q: want one of BOOL, INT8 to INT64, UINT8 to UINT64, FP32, FP64, BYTES", t.DataType)
	}
	if t.Shape == nil {
		t.Shape = []int64{1, int64(len(t.Data))}
	}
	var contents message
	for _, value := range t.Data {
		if err := contents.element(field, value); err != nil {
			return nil, err
		}
	}
	var shape []byte
	for _, n := range t.Shape {
		shape = protowire.AppendVarint(shape, uint64(n))
	}
	var out message
	out.text(1, t.Name)
	out.text(2, t.DataType)
	out.bytes(3, shape)
	out.bytes(5, contents)
	return out, nil
}

// Decode implements Dialect. A message of a stream has no prefix any more; the
// body of a ModelInfer still has it, and its first byte, 0, begins no message.
func (kserveGRPC) Decode(data []byte) ([]Piece, error) {
	var s speech
	read := s.streamed
	if len(data) > 0 && data[0] == 0 {
		reply, size, err := cutMessage(data)
		if err != nil || size != len(data) {
			return nil, fmt.Errorf("%d bytes of gRPC, want one whole message", len(data))
		}
		data, read = reply, s.infer
	}
	id, err := read(data)
	if err != nil {
		return nil, err
	}
	return s.pieces(id), nil
}

// streamed says what a ModelStreamInferResponse holds and returns its id.
func (s *speech) streamed(response []byte) (id string, err error) {
	err = eachField(response, func(number protowire.Number, _ uint64, field []byte) (err error) {
		switch number {
		case 1:
			if len(field) > 0 {
				s.fail(string(field))
			}
		case 2:
			id, err = s.infer(field)
		}
		return err
	})
	return id, err
}

// infer says what a ModelInferResponse holds and returns its id.
func (s *speech) infer(response []byte) (id string, err error) {
	var outputs, raws [][]byte
	final := false
	err = eachField(response, func(number protowire.Number, _ uint64, field []byte) error {
		switch number {
		case 3:
			id = string(field)
		case 4:
			final = final || isFinal(field)
		case 5:
			outputs = append(outputs, field)
		case 6:
			raws = append(raws, field)
		}
		return nil
	})
	for i, output := range outputs {
		if err != nil {
			break
		}
		var contents []byte
		if i < len(raws) {
			contents = raws[i]
		}
		err = s.tensor(output, contents)
	}
	if final {
		s.done()
	}
	return id, err
}

// isFinal reads one entry of the parameters: Triton's mark of the last response.
func isFinal(entry []byte) bool {
	name, last := "", false
	err := eachField(entry, func(number protowire.Number, _ uint64, field []byte) error {
		if number == 1 {
			name = string(field)
			return nil
		}
		return eachField(field, func(number protowire.Number, value uint64, _ []byte) error {
			last = last || number == 1 && value != 0
			return nil
		})
	})
	return err == nil && name == "triton_final_response" && last
}

// tensor says what an output holds: tensors of bytes are text, each element a
// choice; any other is output that is not text.
func (s *speech) tensor(output, raw []byte) error {
	var kind string
	var texts []string
	err := eachField(output, func(number protowire.Number, _ uint64, field []byte) error {
		switch number {
		case 2:
			kind = string(field)
		case 5:
			return eachField(field, func(number protowire.Number, _ uint64, element []byte) error {
				if number == contentFields["BYTES"] {
					texts = append(texts, string(element))
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if kind != "BYTES" {
		s.show(record.OtherOut, 0)
		return nil
	}
	for len(raw) > 0 {
		if len(raw) < 4 || uint64(len(raw)-4) < uint64(binary.LittleEndian.Uint32(raw)) {
			return errors.New("raw_output_contents: a tensor of bytes ends inside an element")
		}
		n := int(binary.LittleEndian.Uint32(raw))
		texts = append(texts, string(raw[4:4+n]))
		raw = raw[4+n:]
	}
	for i, text := range texts {
		s.say(record.Content, int32(i), text)
	}
	return nil
}
