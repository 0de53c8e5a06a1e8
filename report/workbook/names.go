package workbook

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// mostSheetName is the longest name of a sheet, in the UTF-16 units that Excel
// counts in.
const mostSheetName = 31

// bookSheetName makes wish a name that Excel takes: without the characters of
// references, not too long, no apostrophe at an end, and unlike those taken, whose
// names are in small letters. Excel keeps History for itself.
func bookSheetName(wish string, taken map[string]bool) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`[]:*?/\`, r):
			return '-'
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return ' '
		}
		return r
	}, wish)
	clean = strings.Trim(strings.TrimSpace(clean), "' ")
	if clean == "" {
		clean = "sheet"
	}
	name := bookShortName(clean, mostSheetName)
	for n := 2; taken[strings.ToLower(name)] || strings.EqualFold(name, "history"); n++ {
		end := fmt.Sprintf(" %d", n)
		name = bookShortName(clean, mostSheetName-len(end)) + end
	}
	return name
}

// bookShortName cuts a name to so many UTF-16 units, between characters.
func bookShortName(name string, most int) string {
	units := 0
	for i, r := range name {
		units += utf16.RuneLen(r)
		if units > most {
			return strings.TrimRight(name[:i], "' ")
		}
	}
	return name
}
