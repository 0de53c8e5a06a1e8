package main

// The largest files that flags and arguments may name, apart from documents.
const (
	mostKey = 64 << 10 // a key in PEM has some hundred bytes

	// mostList is for studies and accuracies: lists of some thousand entries that a
	// person or a small program wrote.
	mostList = 16 << 20
)
