package target

import (
	"encoding/json"
	"fmt"
	"strconv"

	"assay/target/kserve"
)

// A kserveTensor is an input as a person would write it.
type kserveTensor struct {
	Name     string  `json:"name"`
	DataType string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
	Data     []any   `json:"data"`
}

// kserveDatatypes says for each datatype how an element goes into the contents of a
// tensor, and whether it fits there. The protocol holds halves as raw bytes alone.
var kserveDatatypes = map[string]func(to *kserve.InferTensorContents, element any) (fits bool){
	"BOOL": addBool, "BYTES": addBytes,
	"INT8": addSigned(8), "INT16": addSigned(16), "INT32": addSigned(32), "INT64": addSigned(64),
	"UINT8": addUnsigned(8), "UINT16": addUnsigned(16), "UINT32": addUnsigned(32), "UINT64": addUnsigned(64),
	"FP32": addFloat(32), "FP64": addFloat(64),
}

// message is the tensor as the protocol has it; without a shape it is one row.
func (t kserveTensor) message() (*kserve.ModelInferRequest_InferInputTensor, error) {
	add, ok := kserveDatatypes[t.DataType]
	if !ok {
		return nil, fmt.Errorf("datatype %q: want one of BOOL, INT8 to INT64, UINT8 to UINT64, FP32, FP64, BYTES", t.DataType)
	}
	if t.Shape == nil {
		t.Shape = []int64{1, int64(len(t.Data))}
	}
	contents := &kserve.InferTensorContents{}
	for _, element := range t.Data {
		if !add(contents, element) {
			return nil, fmt.Errorf("data %v does not fit the datatype", element)
		}
	}
	return &kserve.ModelInferRequest_InferInputTensor{Name: t.Name, Datatype: t.DataType, Shape: t.Shape, Contents: contents}, nil
}

func addBool(to *kserve.InferTensorContents, element any) bool {
	value, ok := element.(bool)
	to.BoolContents = append(to.BoolContents, value)
	return ok
}

func addBytes(to *kserve.InferTensorContents, element any) bool {
	text, ok := element.(string)
	to.BytesContents = append(to.BytesContents, []byte(text))
	return ok
}

func addSigned(bits int) func(*kserve.InferTensorContents, any) bool {
	return func(to *kserve.InferTensorContents, element any) bool {
		digits, isNumber := element.(json.Number)
		n, err := strconv.ParseInt(digits.String(), 10, bits)
		if bits == 64 {
			to.Int64Contents = append(to.Int64Contents, n)
		} else {
			to.IntContents = append(to.IntContents, int32(n))
		}
		return isNumber && err == nil
	}
}

func addUnsigned(bits int) func(*kserve.InferTensorContents, any) bool {
	return func(to *kserve.InferTensorContents, element any) bool {
		digits, isNumber := element.(json.Number)
		n, err := strconv.ParseUint(digits.String(), 10, bits)
		if bits == 64 {
			to.Uint64Contents = append(to.Uint64Contents, n)
		} else {
			to.UintContents = append(to.UintContents, uint32(n))
		}
		return isNumber && err == nil
	}
}

func addFloat(bits int) func(*kserve.InferTensorContents, any) bool {
	return func(to *kserve.InferTensorContents, element any) bool {
		digits, isNumber := element.(json.Number)
		f, err := strconv.ParseFloat(digits.String(), bits)
		if bits == 64 {
			to.Fp64Contents = append(to.Fp64Contents, f)
		} else {
			to.Fp32Contents = append(to.Fp32Contents, float32(f))
		}
		return isNumber && err == nil
	}
}
