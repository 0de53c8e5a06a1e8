package report

import (
	"slices"

	"assay/claim"
	"assay/metric"
)

// headClaim is the claim to lead with: the one that was chosen before the run, else the
// highest output throughput, else the first.
func headClaim(list []claim.Claim) *claim.Claim {
	var best *claim.Claim
	for i, c := range list {
		if c.Headline {
			return &list[i]
		}
		if c.Metric == metric.OutputThroughput.ID && (best == nil || c.Value > best.Value) {
			best = &list[i]
		}
	}
	if best == nil && len(list) > 0 {
		best = &list[0]
	}
	return best
}

// OnePerPoint parts the claims into the first of each point, the one to lead with on
// top and so many at most, and the rest.
func OnePerPoint(list []claim.Claim, most int) (first, rest []claim.Claim) {
	head := headClaim(list)
	if head == nil {
		return nil, nil
	}
	first = []claim.Claim{*head}
	for i, c := range list {
		quoted := slices.ContainsFunc(first, func(f claim.Claim) bool { return f.Point == c.Point && f.Side == c.Side })
		switch {
		case &list[i] == head:
		case quoted || len(first) == most:
			rest = append(rest, c)
		default:
			first = append(first, c)
		}
	}
	return first, rest
}

// NothingQuotable says why nothing may be quoted.
func NothingQuotable(c claim.Claims) string {
	text := "Nothing may be quoted from this run"
	if len(c.Refused) == 0 {
		return text + "."
	}
	text += ": " + c.Refused[0].Reason
	if todo := c.Refused[0].ToDo; todo != "" {
		text += ". To do: " + todo
	}
	return text + "."
}
