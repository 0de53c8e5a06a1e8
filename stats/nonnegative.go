package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// NonNegative finds the combination of the columns of rows, none of them taken less
// than zero times, that is nearest to ys by least squares (Lawson and Hanson:
// Solving Least Squares Problems, 1974, chapter 23). It is for parts that cannot be
// negative, such as the time that each kind of work takes. Residual is the root of
// the sum of squares that is left.
func NonNegative(rows [][]float64, ys []float64) (params []float64, residual float64, err error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, 0, ErrNoSamples
	}
	n, p := len(rows), len(rows[0])
	if len(ys) != n {
		return nil, 0, fmt.Errorf("%d rows for %d values: want one for each", n, len(ys))
	}
	a := mat.NewDense(n, p, nil)
	for i, row := range rows {
		if len(row) != p {
			return nil, 0, fmt.Errorf("row %d has %d columns: want %d", i, len(row), p)
		}
		a.SetRow(i, row)
	}
	s := nonNegative{a: a, y: mat.NewVecDense(n, ys), x: make([]float64, p), free: make([]bool, p)}
	for range 3 * p { // more rounds than it can need without rounding
		best := s.mostWanted()
		if best < 0 {
			return s.x, s.left(), nil
		}
		s.free[best] = true
		if err := s.settle(); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, fmt.Errorf("no solution in %d rounds: %w", 3*p, ErrSingular)
}

type nonNegative struct {
	a    *mat.Dense
	y    *mat.VecDense
	x    []float64
	free []bool // the others are held at zero
}

func (s *nonNegative) gap() *mat.VecDense {
	var gap mat.VecDense
	gap.MulVec(s.a, mat.NewVecDense(len(s.x), s.x))
	gap.SubVec(s.y, &gap)
	return &gap
}

func (s *nonNegative) left() float64 { return mat.Norm(s.gap(), 2) }

// mostWanted is the column held at zero along which the squares fall fastest, or −1
// when none falls.
func (s *nonNegative) mostWanted() int {
	gap := s.gap()
	best, most := -1, 0.0
	for j := range s.x {
		if s.free[j] {
			continue
		}
		column := s.a.ColView(j)
		// What rounding can make of a dot product that is zero.
		slack := 1e-13 * mat.Norm(column, 2) * mat.Norm(s.y, 2)
		if down := mat.Dot(column, gap); down > slack && down > most {
			best, most = j, down
		}
	}
	return best
}

// settle solves for the free columns, and holds back those that would turn negative.
func (s *nonNegative) settle() error {
	for {
		var columns []int
		for j, free := range s.free {
			if free {
				columns = append(columns, j)
			}
		}
		n, _ := s.a.Dims()
		part := mat.NewDense(n, len(columns), nil)
		for at, j := range columns {
			part.SetCol(at, mat.Col(nil, j, s.a))
		}
		var want mat.VecDense
		if err := want.SolveVec(part, s.y); err != nil {
			return ErrSingular
		}
		// Go as far towards the solution as no one turns negative.
		step, blocked := 1.0, false
		for at, j := range columns {
			if w := want.AtVec(at); w <= 0 {
				blocked = true
				if s.x[j] == 0 {
					step = 0 // also where w is zero, and the quotient is none
				} else {
					step = min(step, s.x[j]/(s.x[j]-w))
				}
			}
		}
		for at, j := range columns {
			s.x[j] += step * (want.AtVec(at) - s.x[j])
			if blocked && (want.AtVec(at) <= 0 && s.x[j] <= 1e-14*math.Abs(want.AtVec(at)) || s.x[j] <= 0) {
				s.x[j], s.free[j] = 0, false
			}
		}
		if !blocked {
			return nil
		}
	}
}
