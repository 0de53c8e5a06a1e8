package run

import (
	"encoding/json"
	"fmt"

	"assay/load"
	"assay/record"
)

// A Balance is what became of every call begun at a point. Begun is counted by
// those who send, the rest by those who record; the two must agree.
type Balance struct {
	Begun     int64 `json:"begun"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Dropped   int64 `json:"dropped"`
	Cancelled int64 `json:"cancelled"`
	Cut       int64 `json:"cut"`            // in flight when the point ended
	Lost      int64 `json:"lost,omitempty"` // begun by a load generator that was lost before it reported their end

	MostInFlight int64 `json:"mostInFlight"`
}

// balance sums up the outcomes of a point.
func balance(tally *load.Tally, outcomes map[record.Outcome]int64) Balance {
	b := ended(outcomes)
	b.Begun, b.MostInFlight = tally.Begun.Load(), tally.Most.Load()
	return b
}

// ended counts how calls ended.
func ended(outcomes map[record.Outcome]int64) (b Balance) {
	for outcome, n := range outcomes {
		switch outcome {
		case record.OK:
			b.Completed += n
		case record.Dropped:
			b.Dropped += n
		case record.Cancelled:
			b.Cancelled += n
		case record.Cut:
			b.Cut += n
		default:
			b.Failed += n
		}
	}
	return b
}

// check wants every call that was begun to have ended in exactly one way.
func (b Balance) check() error {
	if ended := b.Completed + b.Failed + b.Dropped + b.Cancelled + b.Cut + b.Lost; ended != b.Begun {
		return fmt.Errorf("%d calls were begun and %d recorded (%d completed, %d failed, %d dropped, %d cancelled, %d cut): this is a fault of assay",
			b.Begun, ended, b.Completed, b.Failed, b.Dropped, b.Cancelled, b.Cut)
	}
	return nil
}

// add is the sum of two balances; the most in flight is the larger one.
func (b Balance) add(other Balance) Balance {
	return Balance{
		Begun: b.Begun + other.Begun, Completed: b.Completed + other.Completed, Failed: b.Failed + other.Failed,
		Dropped: b.Dropped + other.Dropped, Cancelled: b.Cancelled + other.Cancelled, Cut: b.Cut + other.Cut, Lost: b.Lost + other.Lost,
		MostInFlight: max(b.MostInFlight, other.MostInFlight),
	}
}

// detail is the balance as the event record.PointBalance keeps it.
func (b Balance) detail() string {
	text, err := json.Marshal(b)
	if err != nil {
		return err.Error() // cannot happen: it holds numbers only
	}
	return string(text)
}
