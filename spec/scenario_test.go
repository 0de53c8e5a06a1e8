package spec

import "testing"

// Where a data set lies is no part of what is asked; how much of it is used is.
func TestDatasetIdentity(t *testing.T) {
	digest := func(d Dataset) string {
		t.Helper()
		run := Run{Spec: RunSpec{Workload: Workload{Model: "m", DatasetRef: "sha256:1", Prompt: Prompt{Dataset: &d}}}}
		name, err := WorkloadDigest(run)
		if err != nil {
			t.Fatal(err)
		}
		if d.Path != run.Spec.Workload.Prompt.Dataset.Path {
			t.Error("naming a workload changed it")
		}
		return name
	}
	here := digest(Dataset{Path: "here/a.txt"})
	if there := digest(Dataset{Path: "there/a.txt"}); there != here {
		t.Error("the same rows at another place have another digest")
	}
	if fewer := digest(Dataset{Path: "here/a.txt", Limit: 5}); fewer == here {
		t.Error("fewer rows have the same digest")
	}
}
