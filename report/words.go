package report

import "strings"

// Dash stands where there is nothing.
func Dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Words is a name of the records as people read it.
func Words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// PartText is a part as people call it.
func PartText(name string) string {
	if name == "h2d" {
		return "copy in"
	}
	return Words(name)
}

// OrZero is the value, or zero where there is none.
func OrZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
