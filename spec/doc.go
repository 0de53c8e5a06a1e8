// Package spec holds the declared question: the BenchmarkRun and WorkloadSpec
// documents that people write, in YAML or JSON.
//
// Parse reads a document and reports every fault at once, each with its line
// and column. Resolve fills the documented defaults in. WorkloadDigest names
// what is asked, whatever its spelling. JSONSchema, CRD and Reference describe
// the documents to editors, to an API server and to people. Package spec
// decides nothing about how a run is carried out and touches no file, network
// or clock; planning does.
//
// The Go types are the one source. To add a field, add it to its type with a
// doc comment and tags, then run make generate:
//
//	json      the name in the document
//	required  "true": the field has no default and must be written
//	default   the value of an absent field, as YAML; a non-zero default needs a
//	          type that can tell absent from zero (*bool) or a bound that
//	          refuses zero
//	enum      the name of a list in Vocabularies
//	or        what is accepted beside the words of enum, as a regular expression; form says it in words
//	min, max, above, below
//	          bounds of a number, duration or size; above and below exclude
//	          the bound. On a list they hold for each item
//	items     the least number of items of a list
//	rule      the id of the rule its faults carry, where it has one of its own
//	pattern   a regular expression for a string
//	form      a pattern in words, for those who got it wrong
//	example   a value shown in the reference
//	use       what becomes of a field that no code acts on, as a Use; of a section,
//	          what becomes of all of it
//
// To add a rule between fields, add one line to Rules with its check.
package spec
