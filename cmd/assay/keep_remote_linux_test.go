package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"assay/tests/versity"
	"assay/tests/whole"
)

// A disk that is full ends a fetch with a clear error and leaves nothing half; with room
// again the rest comes.
func TestKeepRemoteDiskFull(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	environment := storeEnviron(versity.Serve(t))
	folder := t.TempDir()
	const store = "s3://" + versity.Bucket
	put := program(t.Context(), "keep", nightly(t, folder, "night-1"), "--to", store)
	put.Env = environment
	if out, err := put.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	disk := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `
set -u
mount -t tmpfs -o size=4m none "$DISK" || exit 90
"$ASSAY" keep --from "$STORE" --warehouse "$DISK/empty" > /dev/null && rm -r "$DISK/empty"
mkdir "$DISK/warehouse"
head -c 10000000 /dev/zero > "$DISK/other-peoples-data" 2>/dev/null
truncate -s -300K "$DISK/other-peoples-data"
"$ASSAY" keep --from "$STORE" --warehouse "$DISK/warehouse"; echo "full: exit $?"
ls -A "$DISK/warehouse" | grep -c fetched
rm "$DISK/other-peoples-data"
"$ASSAY" keep --from "$STORE" --warehouse "$DISK/warehouse"; echo "room: exit $?"
`)
	cmd.Env = append(environment, "DISK="+disk, "ASSAY="+os.Args[0], "STORE="+store)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	output, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this kernel lets nobody make a mount namespace (root may)")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	text := string(output)
	for _, want := range []string{"full: exit 1", "\n0\n", "room: exit 0", "night-1"} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q:\n%s", want, text)
		}
	}
	if !strings.Contains(text, "no space left") && !strings.Contains(text, "disk is full") {
		t.Errorf("it does not say that the disk is full:\n%s", text)
	}
}
