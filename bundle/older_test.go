package bundle

import (
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/record"
)

// Steps that were written before they had a host, a pause and a checkpoint are read, and
// have none of them.
func TestOlderSteps(t *testing.T) {
	type step struct {
		Rank  int32  `parquet:"rank,delta"`
		Step  int64  `parquet:"step,delta"`
		Start int64  `parquet:"start_ns,delta"`
		End   int64  `parquet:"end_ns,delta"`
		Data  *int64 `parquet:"data_ns"`
	}
	waited := int64(7)
	path := filepath.Join(t.TempDir(), segmentName(Steps, 0, 0))
	if err := parquet.WriteFile(path, []step{{Rank: 1, Step: 2, Start: 3, End: 4, Data: &waited}}); err != nil {
		t.Fatal(err)
	}
	var got []record.Step
	err := eachBatch(path, func(rows []record.Step) error {
		got = append(got, rows...)
		return nil
	})
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if s := got[0]; s.Rank != 1 || s.End != 4 || s.Data == nil || *s.Data != 7 || s.Host != nil || s.Pause != nil || s.Save != nil {
		t.Errorf("%+v", s)
	}
}
