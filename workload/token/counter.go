package token

import "sync/atomic"

// A Counter counts for code that has nowhere to put an error, such as the
// builder of prompts: what could not be counted counts 0, and Err tells the
// first reason. Whoever uses the counts must ask for it. It is safe for
// concurrent use.
type Counter struct {
	tok   Tokenizer
	first atomic.Pointer[error]
}

// NewCounter returns a counter that asks tok.
func NewCounter(tok Tokenizer) *Counter { return &Counter{tok: tok} }

// Count is the number of tokens of text.
func (c *Counter) Count(text string) int {
	n, err := c.tok.Count(text)
	if err != nil {
		c.first.CompareAndSwap(nil, &err)
		return 0
	}
	return n
}

// Err is why a text could not be counted; nil when all were.
func (c *Counter) Err() error {
	if err := c.first.Load(); err != nil {
		return *err
	}
	return nil
}
