package metric

import (
	"net/http"
	"slices"

	"assay/record"
	"assay/unit"
)

// The kinds of failure. Together with dropped calls they are all that
// error_rate.v1 counts, each failure once.
var (
	OverloadRate = Metric{
		ID: "overload_rate.v1", Name: "errors: overload", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests that the target turned away for want of room (status 429, 503 or 529), divided by those that error_rate.v1 divides by.",
		Of:  Share(failing(turnedAway)),
	}
	HTTPErrorRate = Metric{
		ID: "http_error_rate.v1", Name: "errors: HTTP", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests answered with any other status that is no success, redirects included, divided alike.",
		Of: Share(failing(func(t *Timeline) bool {
			return t.Result == record.Redirected || t.Result == record.HTTPError && !turnedAway(t)
		})),
	}
	TimeoutRate = Metric{
		ID: "timeout_rate.v1", Name: "errors: timeout", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests that reached the total or the idle time limit, divided alike.",
		Of:  Share(failing(endedAs(record.Timeout, record.IdleTime))),
	}
	ConnectionErrorRate = Metric{
		ID: "connection_error_rate.v1", Name: "errors: connection", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests that found no connection or lost it before the end, divided alike.",
		Of:  Share(failing(endedAs(record.Connect, record.Reset))),
	}
	StreamErrorRate = Metric{
		ID: "stream_error_rate.v1", Name: "errors: stream", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests whose stream held an error object or ended too early, after a status of 200, divided alike.",
		Of:  Share(failing(endedAs(record.StreamErr, record.Truncated))),
	}
	ProtocolErrorRate = Metric{
		ID: "protocol_error_rate.v1", Name: "errors: protocol", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "Measured requests whose answer was empty, too large, no stream where one was asked for, or could not be read, divided alike.",
		Of:  Share(failing(endedAs(record.Protocol, record.TooLarge, record.Empty, record.NotAStream))),
	}
)

// tooBusy is what Anthropic's API answers when it is overloaded; it is not in the
// HTTP standard.
const tooBusy = 529

func turnedAway(t *Timeline) bool {
	return t.Result == record.HTTPError &&
		(t.Status == http.StatusTooManyRequests || t.Status == http.StatusServiceUnavailable || t.Status == tooBusy)
}

func endedAs(outcomes ...record.Outcome) func(*Timeline) bool {
	return func(t *Timeline) bool { return slices.Contains(outcomes, t.Result) }
}

// failing counts the measured requests of one kind among those that succeeded or
// failed.
func failing(kind func(*Timeline) bool) func(*Point) (hits, all int) {
	return func(p *Point) (hits, all int) {
		for t := range p.Measured {
			if t.Result == record.OK || t.Result.Failure() {
				all++
			}
			if kind(t) {
				hits++
			}
		}
		return hits, all
	}
}
