//go:build ignore

package main

// This file answers as assay did at commit 5833e246, before alerts were remembered, by the changes
// for the worse that every look found anew. It is built in a checkout of that commit: git worktree
// add /tmp/earlier 5833e246, copy this file to /tmp/earlier/ask/main.go without its first line,
// go build -o /tmp/ask-earlier ./ask.

import (
	"encoding/json"
	"log"
	"os"

	"assay/warehouse"
)

func main() {
	var list []struct {
		Values []float64 `json:"values"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&list); err != nil {
		log.Fatal(err)
	}
	answer := make([][][]int, len(list))
	for i, h := range list {
		answer[i] = make([][]int, len(h.Values)+1)
		for n := range answer[i] {
			// Eight watched metrics shared alpha.
			changes, err := warehouse.Detection{Alpha: .001 / 8}.Changes(h.Values[:n])
			if err != nil {
				log.Fatal(err)
			}
			for _, c := range changes {
				if c.After > c.Before {
					answer[i][n] = append(answer[i][n], c.At)
				}
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
