package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/tests/whole"
)

// A full disk ends the run with a clear error; the bundle stays readable and is
// recovered once there is room. The disk is a real one of two megabytes, in a
// mount namespace of its own, so that no rights are needed.
func TestDiskFull(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for others
	disk := t.TempDir()
	script := `
set -u
mount -t tmpfs -o size=2m none "$DISK" || exit 90
head -c 1500000 /dev/zero > "$DISK/other-peoples-data"
"$ASSAY" run "$SPEC" --out "$DISK/runs"; echo "run: exit $?"
bundle=$(echo "$DISK"/runs/*)
"$ASSAY" report "$bundle" >/dev/null; echo "report: exit $?"
rm "$DISK/other-peoples-data"
"$ASSAY" recover "$bundle"; echo "recover: exit $?"
"$ASSAY" verify "$bundle"; echo "verify: exit $?"
"$ASSAY" report --all "$bundle" | grep -c "status  *partial"
`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = append(os.Environ(), "DISK="+disk, "ASSAY="+os.Args[0],
		"SPEC="+writeSpec(t, simulator(), "{concurrency: [256], duration: 60s}"))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	begin := time.Now()
	output, err := cmd.CombinedOutput()
	text := string(output)
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this kernel lets nobody make a mount namespace (root may); package bundle fills a disk without one")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{"run: exit 1", "no space left", "assay recover", "report: exit 4", "recover: exit 0", "verify: exit 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q:\n%s", want, text)
		}
	}
	t.Logf("the disk was full, noticed and recovered in %v", time.Since(begin).Round(time.Second))
}
