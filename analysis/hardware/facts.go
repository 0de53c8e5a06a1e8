package hardware

import (
	"encoding/json"

	"assay/record"
)

// number is a fact that is a number. One that was read from a file is a float64, a
// fresh one whatever it was set as.
func number(env record.Environment, name string) (float64, bool) {
	var v float64
	ok := read(env, name, &v)
	return v, ok
}

// texts is a fact that is a list of texts.
func texts(env record.Environment, name string) []string {
	var list []string
	read(env, name, &list)
	return list
}

func read(env record.Environment, name string, to any) bool {
	fact, ok := env[name]
	if !ok || fact.Unavailable != "" {
		return false
	}
	text, err := json.Marshal(fact.Value)
	return err == nil && json.Unmarshal(text, to) == nil
}
