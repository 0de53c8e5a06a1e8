package lint

import (
	"fmt"

	"assay/metric"
)

// ClientNow holds the health of one launch against the limits of client-limit,
// while the launch may still go on: own is what makes the client the limit, around
// what its busy host does without that. latency is the highest percentile that is
// known of what the send lag is held against, in seconds, 0 for none.
// capped says that calls are dropped by the plan's own limit (see in-flight-cap).
func ClientNow(h metric.ClientHealth, latency float64, capped bool) (own, around []string) {
	if limit := LagLimit(latency); h.LagP99 != nil && limit > 0 && *h.LagP99 > limit {
		own = append(own, seconds("send lag p99")(*h.LagP99, limit))
	}
	own = append(own, beyond(h, ownLimits)...)
	if total := h.Requests + h.Dropped; !capped && total > 0 && float64(h.Dropped) > limitDropped*float64(total) {
		own = append(own, fmt.Sprintf("%d of %d calls dropped for want of room", h.Dropped, total))
	}
	return own, beyond(h, hostLimits)
}

// beyond says which limits are exceeded.
func beyond(h metric.ClientHealth, limits []limit) (list []string) {
	for _, l := range limits {
		if v := l.of(h); v != nil && *v > l.most {
			list = append(list, l.say(*v, l.most))
		}
	}
	return list
}
