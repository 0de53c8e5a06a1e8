// Command pause waits until it is asked to end: it holds the namespaces of a pod open while
// the containers of a test come and go.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, os.Interrupt, syscall.SIGTERM)
	<-ask
}
