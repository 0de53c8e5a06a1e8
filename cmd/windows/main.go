// Command assay, as it is built for Windows, says where assay runs.
//
// The program itself does not build there, by design: it measures with the clocks,
// sockets, locks and process groups of Unix, and what could be put in their place on
// Windows would measure another thing under the same name.
package main

import (
	"fmt"
	"os"
)

const instead = `assay does not run on Windows itself: use WSL, the Windows Subsystem for Linux.

    wsl --install          once, in a terminal of an administrator
    wsl                    then, inside of it, the Linux release of assay

Servers on this machine are reached from there; see "wsl hostname -I" and
docs/guides/systems.md.
`

func main() {
	fmt.Fprint(os.Stderr, instead)
	os.Exit(1)
}
