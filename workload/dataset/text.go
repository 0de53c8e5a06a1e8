package dataset

import "strings"

var textFormat = Format{
	Name: "text", Doc: "one prompt a line; blank lines are left out",
	Extensions: []string{".txt"}, read: readText,
}

func readText(in *input, yield func(Row) error) (dropped int, err error) {
	err = lines(in.file, func(number int, line []byte) error {
		text := strings.TrimSpace(string(line))
		if text == "" {
			dropped++
			return nil
		}
		return yield(Row{Prompt: text, Line: number})
	})
	return dropped, err
}
