package target

import (
	"errors"
	"fmt"

	"assay/unit"
)

// What a server may send in one answer. Beyond it the answer is given up, its
// connection is closed and its outcome is too_large: a server must not be able to
// fill the memory of the client that measures it.
const (
	// DefaultAnswerLimit bounds the body of an answer, as it came and as it is once
	// unpacked. 128 000 tokens in events of 300 bytes are 38 MB, a hundred vectors of
	// 4096 numbers 8 MB; Config.AnswerLimit is for whoever asks for more.
	DefaultAnswerLimit = 64 << 20

	// maxErrorBody bounds the body of an answer that is no success, of which
	// maxErrorText is shown.
	maxErrorBody = 1 << 20

	// maxHeadBytes bounds the head of an answer and all interim answers before it.
	// Real ones have hundreds of bytes.
	maxHeadBytes = 256 << 10

	// maxTrailerBytes bounds what follows the last chunk. It is what net/http takes
	// with our ReadBufferSize, so that every reader takes the same.
	maxTrailerBytes = 64 << 10

	// maxEventBytes bounds one event of a stream, and an answer of text that was not
	// streamed. JSON that is read can take many times its length; the largest real
	// events are pictures of a few megabytes.
	maxEventBytes = 16 << 20

	// maxParts bounds how many reads or list items make up an answer, each of which
	// takes room in memory however short it is.
	maxParts = 1 << 20

	// maxEvents bounds how many events a stream may have, comments among them: each
	// becomes a record of its own. The longest answers have 128 000.
	maxEvents = 1 << 18

	// maxNameBytes bounds what is recorded as it is and is a word in every real
	// answer: an identifier, a finish reason, the name of a coding.
	maxNameBytes = 1 << 10

	// bytesAfterDone bounds what is read behind the [DONE] line, where the end of the
	// body is waited for.
	bytesAfterDone = 64 << 10

	// mostKept is the largest buffer that is kept for the next answer: one that was
	// huge must not hold its memory for the rest of the run.
	mostKept = 4 << 20
)

var errTooLarge = errors.New("too large")

// tooLarge says which part of an answer is beyond which limit.
func tooLarge(part string, limit int64) error {
	return fmt.Errorf("%w: %s has more than %s", errTooLarge, part, unit.Bytes(limit))
}

// tooMany says what of an answer there are too many of.
func tooMany(parts string, limit int) error {
	return fmt.Errorf("%w: the answer has more than %d %s", errTooLarge, limit, parts)
}

// bodyLimit is how long the body of an answer with a status may be, where limit is
// that of a success.
func bodyLimit(limit int64, status int) int64 {
	if status < 200 || status > 299 {
		return min(limit, maxErrorBody)
	}
	return limit
}

// fits says what an answer of size bytes in so many reads is beyond, if anything.
func fits(size, limit int64, reads int) error {
	switch {
	case size > limit:
		return tooLarge("the body of the answer", limit)
	case reads > maxParts:
		return tooMany("pieces", maxParts)
	}
	return nil
}
