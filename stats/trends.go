package stats

import "math"

// mostOrders bounds the values of which every order is tried: 7! are 5,040.
const mostOrders = 7

// Trends tests several figures of the same moments, such as the launches of a run, each
// for a trend in time. Each P is exact for its own figure (SharedTrend) and then raised to
// how likely chance shows a trend as strong in any of the figures: over all orders of up
// to seven moments (Westfall and Young 1993), so that figures which move as one count as
// one, and by Bonferroni's bound over more. All figures have the same length.
func Trends(figures ...[]float64) []Trend {
	list := make([]Trend, len(figures))
	for i, xs := range figures {
		list[i] = SharedTrend(xs)
	}
	if len(figures) < 2 {
		return list
	}
	if n := len(figures[0]); n > mostOrders {
		for i := range list {
			list[i].P = min(1, list[i].P*float64(len(figures)))
		}
		return list
	}
	unit := make([]float64, len(figures)) // one over the standard deviation of S
	for i, xs := range figures {
		if variance := kendallVariance(xs); variance > 0 {
			unit[i] = 1 / math.Sqrt(variance)
		}
	}
	as, all := make([]float64, len(figures)), 0.0
	orders(len(figures[0]), func(order []int) {
		all++
		strongest := 0.0
		for i, xs := range figures {
			strongest = max(strongest, math.Abs(unit[i]*float64(kendall(xs, order))))
		}
		for i := range as {
			if strongest >= math.Abs(unit[i]*float64(list[i].S))-rankSlack {
				as[i]++
			}
		}
	})
	for i := range list {
		list[i].P = max(list[i].P, as[i]/all)
	}
	return list
}

// kendall is Mann–Kendall's S of xs in another order.
func kendall(xs []float64, order []int) (s int) {
	for j := range order {
		for i := range j {
			switch from, to := xs[order[i]], xs[order[j]]; {
			case to > from:
				s++
			case to < from:
				s--
			}
		}
	}
	return s
}

// orders calls each with every order of n places (Heap's algorithm).
func orders(n int, each func(order []int)) {
	order, turns := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = i
	}
	each(order)
	for i := 1; i < n; {
		if turns[i] == i {
			turns[i] = 0
			i++
			continue
		}
		from := 0
		if i%2 == 1 {
			from = turns[i]
		}
		order[from], order[i] = order[i], order[from]
		each(order)
		turns[i]++
		i = 1
	}
}
