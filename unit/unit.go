// Package unit holds the quantities assay speaks of and how to read and print
// them: seconds, tokens, bytes, joules, watts, dollars.
//
// It knows nothing of metrics or specs. A number and its unit go in, text that
// a person can compare goes out; text that a person wrote goes in, a number or
// an error that names the accepted units comes out.
package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Unit names what a number counts. The text is the one printed and stored.
type Unit string

// The units of every number in a bundle. Scaled forms (ms, GiB) exist only in
// print: stored numbers are always in these.
const (
	Second           Unit = "s"
	Token            Unit = "tok"
	TokenPerSecond   Unit = "tok/s"
	Request          Unit = "req"
	RequestPerSecond Unit = "req/s"
	SessionPerSecond Unit = "session/s"
	Byte             Unit = "B"
	BytePerSecond    Unit = "B/s"
	Joule            Unit = "J"
	Watt             Unit = "W"
	Dollar           Unit = "$"
	ItemPerSecond    Unit = "item/s"
	Gram             Unit = "g"
	FLOPPerSecond    Unit = "FLOP/s"
	OpPerSecond      Unit = "op/s"
	Ratio            Unit = "1"
	Share            Unit = "share" // of one, printed in percent
)

// All lists every unit, in the order of the constants.
var All = []Unit{
	Second, Token, TokenPerSecond, Request, RequestPerSecond, SessionPerSecond,
	Byte, BytePerSecond, Joule, Watt, Dollar, ItemPerSecond, Gram,
	FLOPPerSecond, OpPerSecond, Ratio, Share,
}

// scale is one printed size of a unit: values of at least from are divided by
// from and shown with the suffix.
type scale struct {
	from   float64
	suffix string
}

var scales = map[Unit][]scale{
	Second:        {{60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}},
	Byte:          {{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}},
	BytePerSecond: {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}},
	FLOPPerSecond: {{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}},
	OpPerSecond:   {{1e9, "Gop/s"}, {1e6, "Mop/s"}, {1e3, "kop/s"}, {1, "op/s"}},
	Gram:          {{1e6, "t"}, {1e3, "kg"}, {1, "g"}, {1e-3, "mg"}, {1e-6, "µg"}},
	Joule:         {{1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}},
}

// Format prints v of unit u with three or four significant digits, scaled so
// that a person can read it: Format(0.0234, Second) is "23.4 ms".
func Format(v float64, u Unit) string {
	if !finite(v) {
		return number(v)
	}
	divisor, suffix := printed(v, u)
	if u == Dollar {
		return suffix + number(v)
	}
	return strings.TrimSuffix(number(v/divisor)+" "+suffix, " ")
}

// FormatInterval prints v with the interval it lies in, all at one scale:
// "23.4 ms [22.9, 23.9]". An end that is not bounded prints as ∞.
func FormatInterval(v, lo, hi float64, u Unit) string {
	divisor, _ := printed(v, u)
	return fmt.Sprintf("%s [%s, %s]", Format(v, u), number(lo/divisor), number(hi/divisor))
}

// printed chooses the scale and the suffix that v is shown with.
func printed(v float64, u Unit) (divisor float64, suffix string) {
	switch u {
	case Ratio:
		return 1, ""
	case Share:
		return .01, "%"
	case Dollar:
		return 1, "$"
	}
	steps := scales[u]
	if len(steps) == 0 || v == 0 {
		return 1, string(u)
	}
	for _, s := range steps {
		if math.Abs(v) >= s.from {
			return s.from, s.suffix
		}
	}
	last := steps[len(steps)-1]
	return last.from, last.suffix
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// number prints v with three significant digits, four from 1000 up, and never
// with an exponent below a million.
func number(v float64) string {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "n/a"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "-∞"
	case v == 0:
		return "0"
	case abs >= 1e6 || abs < 1e-4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case abs >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case abs >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case abs >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
}

// parse splits text into a number and a suffix and looks the suffix up.
func parse(text string, suffixes map[string]float64, want string) (float64, error) {
	text = strings.TrimSpace(text)
	cut := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789.+-", r)
	})
	if cut < 0 {
		return 0, fmt.Errorf("got %q, want a number with a unit: %s", text, want)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(text[:cut]), 64)
	if err != nil {
		return 0, fmt.Errorf("got %q, want a number with a unit: %s", text, want)
	}
	factor, ok := suffixes[strings.TrimSpace(text[cut:])]
	if !ok {
		return 0, fmt.Errorf("got unit %q in %q, want %s", strings.TrimSpace(text[cut:]), text, want)
	}
	return value * factor, nil
}
