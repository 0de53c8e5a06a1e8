package doctor

import (
	"fmt"
	"reflect"
)

// number returns a fact as a number. The error says why there is none.
func (s Subject) number(name string) (float64, error) {
	fact, err := s.fact(name)
	if err != nil {
		return 0, err
	}
	switch v := reflect.ValueOf(fact); {
	case v.CanInt():
		return float64(v.Int()), nil
	case v.CanUint():
		return float64(v.Uint()), nil
	case v.CanFloat():
		return v.Float(), nil
	}
	return 0, fmt.Errorf("%s: got %v, want a number", name, fact)
}

func (s Subject) text(name string) (string, error)   { return as[string](s, name) }
func (s Subject) flag(name string) (bool, error)     { return as[bool](s, name) }
func (s Subject) list(name string) ([]string, error) { return as[[]string](s, name) }

func as[T any](s Subject, name string) (T, error) {
	var none T
	fact, err := s.fact(name)
	if err != nil {
		return none, err
	}
	v, ok := fact.(T)
	if !ok {
		return none, fmt.Errorf("%s: got %v, want a %T", name, fact, none)
	}
	return v, nil
}

func (s Subject) fact(name string) (any, error) {
	fact, ok := s.Facts[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: not recorded", name)
	case fact.Unavailable != "":
		return nil, fmt.Errorf("%s: %s", name, fact.Unavailable)
	}
	return fact.Value, nil
}

// gpuName returns the name of a fact of device n.
func gpuName(n int, fact string) string { return fmt.Sprintf("gpu.%d.%s", n, fact) }

// eachGPU gathers what look says of every device. A fact that one device does
// not give leaves the check unmade unless another device already has trouble.
func (s Subject) eachGPU(look func(n int) (trouble string, err error)) (troubles []string, err error) {
	count, err := s.number("gpu.count")
	if err != nil {
		return nil, err
	}
	for n := range int(count) {
		trouble, lookErr := look(n)
		if trouble != "" {
			troubles = append(troubles, fmt.Sprintf("GPU %d %s", n, trouble))
		}
		if lookErr != nil {
			err = lookErr
		}
	}
	if len(troubles) > 0 {
		return troubles, nil
	}
	return nil, err
}
