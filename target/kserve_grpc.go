package target

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"assay/record"
	"assay/target/kserve"
)

// kserveGRPC is the Open Inference Protocol, version 2, over gRPC, as Triton and
// TensorRT-LLM's models in it speak it: ModelStreamInfer for streams, ModelInfer
// otherwise.
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
	if len(extra.Outputs) == 0 {
		extra.Outputs = []struct{ Name string }{{"text_output"}}
	}
	request := &kserve.ModelInferRequest{ModelName: ask.Model, Id: strconv.FormatInt(call.ID, 10)}
	if request.Parameters, err = kserveParameters(extra.Parameters); err != nil {
		return nil, err
	}
	for _, input := range inputs {
		tensor, err := input.message()
		if err != nil {
			return nil, fmt.Errorf("target.extraBody.inputs %s: %w", input.Name, err)
		}
		request.Inputs = append(request.Inputs, tensor)
	}
	for _, output := range extra.Outputs {
		request.Outputs = append(request.Outputs, &kserve.ModelInferRequest_InferRequestedOutputTensor{Name: output.Name})
	}
	// The order of parameters is fixed, so that a plan always sends the same bytes.
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	return grpcMessage(data), err
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

// kserveParameters are the parameters of a request, whose values have one of four
// types.
func kserveParameters(values map[string]any) (map[string]*kserve.InferParameter, error) {
	parameters := map[string]*kserve.InferParameter{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parameter := &kserve.InferParameter{}
		switch v := values[name].(type) {
		case bool:
			parameter.ParameterChoice = &kserve.InferParameter_BoolParam{BoolParam: v}
		case string:
			parameter.ParameterChoice = &kserve.InferParameter_StringParam{StringParam: v}
		case json.Number:
			if n, err := v.Int64(); err == nil {
				parameter.ParameterChoice = &kserve.InferParameter_Int64Param{Int64Param: n}
			} else if f, err := v.Float64(); err == nil {
				parameter.ParameterChoice = &kserve.InferParameter_DoubleParam{DoubleParam: f}
			} else {
				return nil, fmt.Errorf("target.extraBody.parameters.%s: %w", name, err)
			}
		default:
			return nil, fmt.Errorf("target.extraBody.parameters.%s: got %v, want text, a number, true or false", name, v)
		}
		parameters[name] = parameter
	}
	return parameters, nil
}

// Decode implements Dialect. A message of a stream has no prefix any more; the
// body of a ModelInfer still has it, and its first byte, 0, begins no message.
func (kserveGRPC) Decode(data []byte) ([]Piece, error) {
	var s pieceList
	response := &kserve.ModelStreamInferResponse{}
	if len(data) > 0 && data[0] == 0 {
		reply, size, err := cutMessage(data)
		if err != nil || size != len(data) {
			return nil, fmt.Errorf("%d bytes of gRPC, want one whole message", len(data))
		}
		response.InferResponse = &kserve.ModelInferResponse{}
		if err := readMessage(reply, response.InferResponse); err != nil {
			return nil, err
		}
	} else if err := readMessage(data, response); err != nil {
		return nil, err
	}
	if response.ErrorMessage != "" {
		s.fail(response.ErrorMessage)
	}
	if err := s.infer(response.InferResponse); err != nil {
		return nil, err
	}
	return s.pieces(response.InferResponse.GetId()), nil
}

// readMessage fills m from the bytes of a message. Fields that the protocol has and
// m has not are skipped.
func readMessage(data []byte, m proto.Message) error {
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, m); err != nil {
		return fmt.Errorf("message of gRPC: %w", err)
	}
	return nil
}

// infer says what a response holds. Triton marks its last one by a parameter.
func (s *pieceList) infer(response *kserve.ModelInferResponse) error {
	raws := response.GetRawOutputContents()
	for i, output := range response.GetOutputs() {
		if output.Datatype != "BYTES" {
			s.show(record.OtherOut, 0) // output that is not text
			continue
		}
		texts := output.Contents.GetBytesContents()
		if i < len(raws) {
			more, err := rawElements(raws[i])
			if err != nil {
				return err
			}
			texts = append(texts, more...)
		}
		for choice, text := range texts {
			s.say(record.Content, int32(choice), string(text))
		}
	}
	if response.GetParameters()["triton_final_response"].GetBoolParam() {
		s.done()
	}
	return nil
}

// rawElements cuts a tensor of bytes into its elements, each of which follows its
// length.
func rawElements(raw []byte) ([][]byte, error) {
	var elements [][]byte
	for len(raw) > 0 {
		if len(raw) < 4 || uint64(len(raw)-4) < uint64(binary.LittleEndian.Uint32(raw)) {
			return nil, errors.New("raw_output_contents: a tensor of bytes ends inside an element")
		}
		end := 4 + int(binary.LittleEndian.Uint32(raw))
		elements = append(elements, raw[4:end])
		raw = raw[end:]
	}
	return elements, nil
}
