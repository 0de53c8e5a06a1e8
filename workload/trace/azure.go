package trace

import (
	"fmt"
	"io"
	"time"
)

// azure is the format of one year of Azure's public traces.
func azure(year string, images bool) Format {
	needed := []string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}
	doc := "Azure's table of " + year + ": times and token counts"
	if images {
		needed = append(needed, "NumImages")
		doc += ", and numbers of images"
	}
	return Format{Name: "azure-" + year, Doc: doc, read: func(r io.Reader) ([]Record, error) { return readAzure(r, needed) }}
}

// azureTimes are the ways that the files write a time; a fraction may follow
// the seconds.
var azureTimes = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05"}

func readAzure(r io.Reader, needed []string) (records []Record, err error) {
	var first, zero time.Time // zero is the earliest, which need not be the first
	err = eachCSV(r, needed, func(line int, row *table) error {
		at, err := azureTime(row.text("TIMESTAMP"))
		if err != nil {
			return err
		}
		if first.IsZero() {
			first, zero = at, at
		}
		if at.Before(zero) {
			zero = at
		}
		records = append(records, Record{
			ID: fmt.Sprint(line), At: at.Sub(first),
			Input: row.tokens("ContextTokens"), Output: row.tokens("GeneratedTokens"), Images: row.tokens("NumImages"),
		})
		return nil
	})
	for i := range records {
		records[i].At += first.Sub(zero)
	}
	return records, err
}

func azureTime(text string) (time.Time, error) {
	for _, layout := range azureTimes {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("TIMESTAMP: got %q, want a time such as 2023-11-16 18:15:46.68", text)
}
