package lexical

import "strings"

// FromPython is a regular expression of Python as the library of this package reads it,
// which is .NET's. Groups are named (?P<name>…) there and what they matched (?P=name), and
// the classes \s and \w hold other characters: for Python, the separators U+001C to U+001F
// are white space, and combining marks are no parts of words.
func FromPython(pattern string) string {
	var b strings.Builder
	inClass, first := false, false // inside brackets, and at their beginning, where a ] is a character
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(pythonEscape(rest[:2], inClass))
			i++
			first = false
		case inClass:
			b.WriteByte(rest[0])
			inClass = rest[0] != ']' || first
			first = first && rest[0] == '^'
		case strings.HasPrefix(rest, "(?P<"):
			b.WriteString("(?<")
			i += len("(?P<") - 1
		case strings.HasPrefix(rest, "(?P=") && strings.Contains(rest, ")"):
			end := strings.IndexByte(rest, ')')
			b.WriteString(`\k<` + rest[len("(?P="):end] + ">")
			i += end
		default:
			b.WriteByte(rest[0])
			inClass = rest[0] == '['
			first = inClass
		}
	}
	return b.String()
}

// pythonEscape is a backslash with its character. \W and \S inside brackets stay: a class
// cannot hold the complement of several.
func pythonEscape(escape string, inClass bool) string {
	classes := map[string]string{`\s`: `\s\x1c-\x1f`, `\w`: `\p{L}\p{N}_`}
	if class, ok := classes[escape]; ok {
		return choose(inClass, class, "["+class+"]")
	}
	if class, ok := classes[strings.ToLower(escape)]; ok && !inClass {
		return "[^" + class + "]"
	}
	return escape
}
