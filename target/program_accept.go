package target

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"assay/door"
)

// mostHello is the longest hello of a program. It bounds what a stranger can make this
// process keep.
const mostHello = 64 << 10

// An authenticatedConn is a connection that knows the token.
type authenticatedConn struct {
	conn  net.Conn
	lines *bufio.Reader
}

// acceptProgram waits for the connection that knows the token; strangers are cut off and
// keep the program waiting in no way. The listener is closed when it returns.
func acceptProgram(ctx context.Context, l net.Listener, token string, limit time.Duration, exited <-chan struct{}) (net.Conn, *bufio.Reader, error) {
	ctx, done := context.WithCancel(ctx)
	came := make(chan authenticatedConn)
	var accepting sync.WaitGroup
	defer func() {
		done()
		l.Close()
		accepting.Wait()
	}()
	accepting.Go(func() {
		_ = door.Serve(l, door.Options{Patience: limit}, func(conn net.Conn, admit func()) {
			lines := bufio.NewReaderSize(conn, mostHello)
			if !helloHasToken(lines, token) {
				conn.Close()
				return
			}
			admit()
			select {
			case came <- authenticatedConn{conn, lines}:
			case <-ctx.Done():
				conn.Close()
			}
		})
	})
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case g := <-came:
		return g.conn, g.lines, nil
	case <-late.C:
		return nil, nil, fmt.Errorf("the program did not say hello at ASSAY_CTRL with its ASSAY_TOKEN within %v", limit)
	case <-exited:
		return nil, nil, errors.New("the program ended before it said hello: see its log in the bundle")
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// helloHasToken says whether the first line is a hello with the token.
func helloHasToken(lines *bufio.Reader, token string) bool {
	line, err := lines.ReadSlice('\n')
	var hello commandLine
	if err != nil || json.Unmarshal(line, &hello) != nil || hello.Type != "hello" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(hello.Token), []byte(token)) == 1
}
