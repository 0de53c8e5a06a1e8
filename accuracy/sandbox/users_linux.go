//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// firstUser is the host's number of the first user for programs. It lies above what
// systemd and the tables of subordinate users give away, and belongs to nobody.
const firstUser = 0x70000000

// identify fills in who a cell is. Root's cell has two users: root itself, which can
// reach an interpreter wherever it lies, and one for programs, of which the kernel
// counts the processes as it does not for root. An ordinary user's cell has that user
// under another number, and capabilities only over what belongs to the cell.
func identify(attr *syscall.SysProcAttr, number int) (changeUser bool) {
	user, group, found := spareIDs(number)
	if os.Geteuid() == 0 && found {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: nobody, HostID: user, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: nobody, HostID: group, Size: 1}}
		attr.GidMappingsEnableSetgroups = true
		return true
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
	for capability := range uintptr(lastCapability + 1) {
		attr.AmbientCaps = append(attr.AmbientCaps, capability)
	}
	return false
}

// lastCapability is checkpoint_restore's number, the last one of Linux 5.9 and since.
const lastCapability = 40

// spareIDs are a user and a group that this namespace has and nobody uses. Inside a
// container there may be few, counted from the end, or none.
func spareIDs(number int) (user, group int, found bool) {
	users, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return 0, 0, false
	}
	groups, err := os.ReadFile("/proc/self/gid_map")
	if err != nil {
		return 0, 0, false
	}
	user, group = spare(string(users), number), spare(string(groups), number)
	return user, group, user > 0 && group > 0
}

// spare returns 0 when the map has no room. Half a range is left to those whose
// numbers are given from its start.
func spare(idMap string, number int) int {
	for line := range strings.Lines(idMap) {
		var inside, outside, count int
		if _, err := fmt.Sscan(line, &inside, &outside, &count); err != nil {
			return 0
		}
		last := inside + count - 1
		if inside <= firstUser && firstUser+number <= last {
			return firstUser + number
		}
		if id := last - 1 - number; count >= 1<<16 && id > inside+count/2 {
			return id
		}
	}
	return 0
}
