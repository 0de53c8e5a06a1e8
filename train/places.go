package train

import (
	"fmt"

	"assay/child"
	"assay/plan"
	"assay/spec"
)

// Places are where the ranks of a world, or load generators, may run; empty where the spec leaves them
// anywhere.
func Places(pin *spec.Pin, ranks int) ([]child.Place, error) {
	if pin == nil {
		return nil, nil
	}
	var list []child.Place
	for rank := range ranks {
		cpus, node, err := pin.At(rank)
		if err != nil {
			return nil, err
		}
		place, err := child.At(cpus, node, spec.CPUList)
		if err != nil {
			return nil, fmt.Errorf("place rank %d: %w", rank, err)
		}
		list = append(list, place)
	}
	return list, nil
}

// placeable refuses places that this host cannot give, before any rank starts.
func placeable(p plan.Plan) error {
	for _, point := range p.Points {
		if !point.Kind().Ranks() {
			continue
		}
		if _, err := Places(launcher(p.Decided(), point).Pin, point.Ranks); err != nil {
			return fmt.Errorf("launch.pin: %w", err)
		}
	}
	return nil
}
