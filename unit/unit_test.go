package unit

import (
	"encoding/json"
	"math"
	"testing"
	"testing/quick"
	"time"
)

func TestFormat(t *testing.T) {
	f := func(v float64, u Unit, want string) {
		t.Helper()
		if got := Format(v, u); got != want {
			t.Errorf("Format(%v, %q) = %q, want %q", v, u, got, want)
		}
	}
	f(0.0234, Second, "23.4 ms")
	f(1.5, Second, "1.50 s")
	f(90, Second, "1.50 min")
	f(2.5e-7, Second, "250 ns")
	f(0, Second, "0 s")
	f(-0.0005, Second, "-500 µs")
	f(1234, TokenPerSecond, "1234 tok/s")
	f(0.91, Ratio, "0.91")
	f(3.2, Dollar, "$3.20")
	f(1<<30, Byte, "1.00 GiB")
	f(2.5e9, BytePerSecond, "2.50 GB/s")
	f(math.NaN(), Second, "n/a")
	f(math.Inf(1), Second, "∞")
}

func TestFormatInterval(t *testing.T) {
	f := func(v, lo, hi float64, u Unit, want string) {
		t.Helper()
		if got := FormatInterval(v, lo, hi, u); got != want {
			t.Errorf("FormatInterval(%v, %v, %v, %q) = %q, want %q", v, lo, hi, u, got, want)
		}
	}
	f(0.0234, 0.0229, 0.0239, Second, "23.4 ms [22.9, 23.9]")
	f(0.002, 0, 1.5, Second, "2.00 ms [0, 1500]")
	f(0.5, 0.4, math.Inf(1), Ratio, "0.5 [0.4, ∞]")
	f(3.2, 3.1, 3.3, Dollar, "$3.20 [3.10, 3.30]")
	f(0, 0, 0, TokenPerSecond, "0 tok/s [0, 0]")
}

// What a duration or size prints, it reads back.
func TestRoundTrip(t *testing.T) {
	durations := func(n int64) bool {
		d := Duration(n)
		if n == math.MinInt64 || math.Abs(float64(n)) > 1<<53 {
			return true // beyond the precision of the number in the text
		}
		got, err := ParseDuration(d.String())
		return err == nil && got == d
	}
	sizes := func(n uint32) bool {
		got, err := ParseBytes(Bytes(n).String())
		return err == nil && got == Bytes(n)
	}
	for _, property := range []any{durations, sizes} {
		if err := quick.Check(property, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	f := func(text string, want time.Duration, ok bool) {
		t.Helper()
		got, err := ParseDuration(text)
		if (err == nil) != ok || got.Std() != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v, ok %v", text, got.Std(), err, want, ok)
		}
	}
	f("250ms", 250*time.Millisecond, true)
	f(" 1.5 s ", 1500*time.Millisecond, true)
	f("60s", time.Minute, true)
	f("1d", 24*time.Hour, true)
	f("30", 0, false) // of what?
	f("30 parsecs", 0, false)
	f("", 0, false)
	f("-", 0, false)
	f("1e400s", 0, false)
	f("9999999999999d", 0, false)
}

func TestParseBytes(t *testing.T) {
	f := func(text string, want Bytes, ok bool) {
		t.Helper()
		got, err := ParseBytes(text)
		if (err == nil) != ok || got != want {
			t.Errorf("ParseBytes(%q) = %v, %v; want %v, ok %v", text, got, err, want, ok)
		}
	}
	f("64KiB", 64<<10, true)
	f("2GB", 2e9, true)
	f("7", 0, false)
	f("-1B", 0, false)
}

func TestJSON(t *testing.T) {
	type document struct {
		Wait Duration
		Size Bytes
	}
	var got document
	if err := json.Unmarshal([]byte(`{"Wait":"2m","Size":"1KiB"}`), &got); err != nil {
		t.Fatal(err)
	}
	want := document{Duration(2 * time.Minute), 1024}
	if got != want {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if err := json.Unmarshal([]byte(`{"Wait":2}`), &got); err == nil {
		t.Error("a bare number was read as a duration")
	}
	if err := json.Unmarshal([]byte(`{"Size":2}`), &got); err == nil {
		t.Error("a bare number was read as a size")
	}
}
