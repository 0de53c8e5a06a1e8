package telemetry

import (
	"testing"
	"testing/fstest"
)

// A thread that has ended took its files along, not its time.
func TestThreadsNeverFall(t *testing.T) {
	files := fstest.MapFS{}
	thread := func(id, wait, switches string) {
		files["proc/self/task/"+id+"/schedstat"] = &fstest.MapFile{Data: []byte("0 " + wait + " 0\n")}
		files["proc/self/task/"+id+"/status"] = &fstest.MapFile{Data: []byte("nonvoluntary_ctxt_switches:\t" + switches + "\n")}
	}
	thread("1", "1000000000", "5")
	thread("2", "2000000000", "7")
	read := Threads.Open(Host{Files: files}, Options{})
	if _, err := read(t.Context()); err != nil {
		t.Fatal(err)
	}
	delete(files, "proc/self/task/2/schedstat")
	delete(files, "proc/self/task/2/status")
	thread("1", "1500000000", "6")
	got, err := read(t.Context())
	if err != nil || len(got) != 2 || got[0].Value != 3.5 || got[1].Value != 13 {
		t.Errorf("after a thread's end: %+v, %v; want 3.5 s and 13", got, err)
	}
}
