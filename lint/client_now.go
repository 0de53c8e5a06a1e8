package lint

import (
	"fmt"

	"assay/metric"
)

// ClientNow holds the health of one launch against the limits of client-limit,
// while the launch may still go on: own is what makes the client the limit, around
// what its busy host does without that. ttftP50 is in seconds, 0 when not known;
// capped says that calls are dropped by the plan's own limit (see in-flight-cap).
func ClientNow(h metric.ClientHealth, ttftP50 float64, capped bool) (own, around []string) {
	own = beyond(h, ownLimits(LagLimit(ttftP50)))
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

// LagLimit is the send lag, in seconds, beyond which the client is the limit.
func LagLimit(ttftP50 float64) float64 { return max(limitLag, limitLagShare*ttftP50) }
