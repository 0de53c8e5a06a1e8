package spec

import (
	"slices"
	"strings"
)

// The generic messages of the contract.
const (
	wantMapping  = "expected mapping"
	wantList     = "expected list"
	wantString   = "expected non-empty string"
	wantBoolean  = "expected boolean"
	wantTrue     = "must be true"
	wantPositive = "must be a positive integer"
)

// A check is the body of a rule. The constructors below make the common ones.
type check func(*checker)

// when runs checks only where the condition holds.
func when(condition func(*checker) bool, checks ...check) check {
	return func(c *checker) {
		if condition(c) {
			all(checks...)(c)
		}
	}
}

func all(checks ...check) check {
	return func(c *checker) {
		for _, check := range checks {
			check(c)
		}
	}
}

// each makes one check per path from a test and a message.
func each(test func(*node) bool, message string, paths ...string) check {
	return func(c *checker) {
		for _, path := range paths {
			if !test(c.at(path)) {
				c.fail(path, message)
			}
		}
	}
}

func mappings(paths ...string) check {
	return each(func(n *node) bool { return n.is(mappingShape) }, wantMapping, paths...)
}

func lists(paths ...string) check {
	return each(func(n *node) bool { return n.is(listShape) }, wantList, paths...)
}

func texts(paths ...string) check {
	return each(func(n *node) bool { return strings.TrimSpace(n.str()) != "" }, wantString, paths...)
}

func booleans(paths ...string) check {
	return each(func(n *node) bool { return n.is(boolShape) }, wantBoolean, paths...)
}

func trues(message string, paths ...string) check {
	return each(func(n *node) bool { value, _ := n.flag(); return value }, message, paths...)
}

func positives(paths ...string) check {
	return each(func(n *node) bool { v, ok := n.integer(); return ok && v > 0 }, wantPositive, paths...)
}

// oneOf wants one of the words, which the message lists sorted.
func oneOf(path string, words []string) check {
	return each(func(n *node) bool { return slices.Contains(words, n.str()) }, "expected one of "+pythonList(words), path)
}

// covers wants a list that holds every word. message ends in the missing ones
// where it ends in a space.
func covers(path, message string, words ...string) check {
	return func(c *checker) {
		n := c.at(path)
		if !n.is(listShape) {
			return // the list rule speaks
		}
		var missing []string
		for _, word := range words {
			if !slices.Contains(n.strings(), word) {
				missing = append(missing, word)
			}
		}
		switch {
		case len(missing) == 0:
		case strings.HasSuffix(message, " "):
			c.failGot(path, "", message+pythonList(missing))
		default:
			c.failGot(path, "", message)
		}
	}
}

// filled wants a list with at least one item.
func filled(path, message string) check {
	return func(c *checker) {
		if n := c.at(path); n.is(listShape) && len(n.items) == 0 {
			c.fail(path, message)
		}
	}
}

// under puts a section before each name.
func under(section string, names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = section + "." + name
	}
	return paths
}

// pythonList writes words sorted, as ['a', 'b']: the contract's messages do.
func pythonList(words []string) string {
	sorted := slices.Sorted(slices.Values(words))
	return "['" + strings.Join(sorted, "', '") + "']"
}
