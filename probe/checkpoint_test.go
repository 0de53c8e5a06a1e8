package probe

import (
	"os"
	"testing"

	"assay/plan"
)

// A checkpoint that is not what was saved is counted, and nothing is left behind.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Setting{Micro: plan.Micro{Probe: "checkpoint", FileSize: 4 << 20}, Dir: dir}
	variants, end, err := openCheckpoint(t.Context(), &s)
	if err != nil {
		t.Fatal(err)
	}
	save, load := variants[0], variants[1]
	if err := save.do(2); err != nil {
		t.Fatal(err)
	}
	if err := load.do(1); err != nil {
		t.Fatal(err)
	}
	if wrong, _, _ := load.settle(); wrong != 0 {
		t.Errorf("%d blocks of a good checkpoint are wrong", wrong)
	}
	folders, _ := os.ReadDir(dir)
	f, err := os.OpenFile(dir+"/"+folders[0].Name()+"/state", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 3*smallBlock), smallBlock); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := load.do(1); err != nil {
		t.Fatal(err)
	}
	if wrong, _, _ := load.settle(); wrong != 3 {
		t.Errorf("%d wrong blocks, want 3", wrong)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
