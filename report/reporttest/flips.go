package reporttest

import (
	"fmt"
	"strings"

	"assay/accuracy"
	"assay/accuracy/changes"
)

// Evil is markup that a server may answer with.
const Evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

// Flipped are the answers of Compared at two loads: at the second more are lost than a
// page shows, with long texts, and one of them is markup.
func Flipped() []changes.Report {
	at := func(point string, lost, gained int) changes.Report {
		r := changes.Report{
			Version: changes.Version, A: changes.Place{Bundle: "old", Point: point}, B: changes.Place{Bundle: "new", Point: point},
			Items: []changes.Item{{Task: "gsm8k", Item: "same mark", Kind: changes.Changed, A: replied(1, "42"), B: replied(1, "forty-two")}},
		}
		for i := range gained {
			r.Items = append(r.Items, changes.Item{Task: "gsm8k", Item: fmt.Sprint("g", i), Kind: changes.Gained, Prompt: "What is 6 × 7?", Expected: "42", A: replied(0, "41"), B: replied(1, "42")})
		}
		for i := range lost {
			r.Items = append(r.Items, changes.Item{Task: "gsm8k", Item: fmt.Sprint("l", i), Group: "algebra", Kind: changes.Lost, Prompt: "How many apples?", Expected: "17",
				A: replied(1, "17"), B: replied(0, strings.Repeat("far too long ", 4000))})
		}
		return r
	}
	few, many := at("concurrency=4", 1, 1), at("concurrency=64", 300, 0)
	few.Items[1].B.Text = Evil
	few.Items[1].Prompt = Evil
	return []changes.Report{few, many}
}

func replied(score float64, text string) changes.Reply {
	return changes.Reply{State: accuracy.Answered, Score: &score, Extracted: text, Text: text}
}
