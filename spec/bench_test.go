package spec

import "testing"

func BenchmarkParse(b *testing.B) {
	data := example(b, serving)
	for b.Loop() {
		if _, faults := Parse(serving, data); !Valid(faults) {
			b.Fatal(lines(faults))
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	run, _ := Resolve(parseExample(b, "realism-mixed.yaml"))
	for b.Loop() {
		if faults := Check(run); !Valid(faults) {
			b.Fatal(lines(faults))
		}
	}
}
