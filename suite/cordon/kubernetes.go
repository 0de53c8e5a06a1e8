package cordon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Kubernetes cordons nodes: pods that run there stay, and no new ones are placed.
var Kubernetes = Scheduler{Name: "kubernetes", Program: "kubectl", state: kubernetesState, out: kubernetesCordon, back: kubernetesUncordon}

// whyAnnotation is where the reason is kept: the spec of a node has no room for one.
const whyAnnotation = "assay.dev/cordoned-because"

func kubernetesState(ctx context.Context, node string) (State, error) {
	out, err := ask(ctx, "kubectl", "get", "node", node, "--output=json")
	if err != nil && strings.Contains(err.Error(), "NotFound") {
		return State{}, errUnknown
	}
	if err != nil {
		return State{}, err
	}
	var got struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Spec struct {
			Unschedulable bool `json:"unschedulable"`
		} `json:"spec"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return State{}, fmt.Errorf("kubectl get node %s: %w", node, err)
	}
	s := State{Out: got.Spec.Unschedulable, Text: "schedulable", Why: got.Metadata.Annotations[whyAnnotation]}
	if s.Out {
		s.Text = "unschedulable"
	}
	return s, nil
}

func kubernetesCordon(ctx context.Context, node, why string) error {
	if _, err := ask(ctx, "kubectl", "annotate", "--overwrite", "node", node, whyAnnotation+"="+why); err != nil {
		return err
	}
	_, err := ask(ctx, "kubectl", "cordon", node)
	return err
}

func kubernetesUncordon(ctx context.Context, node string) error {
	if _, err := ask(ctx, "kubectl", "uncordon", node); err != nil {
		return err
	}
	_, err := ask(ctx, "kubectl", "annotate", "node", node, whyAnnotation+"-")
	return err
}
