package probe

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// allowed lists the processors that this process may use.
func allowed() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil // then nothing is bound
	}
	var list []int
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list
}

// bind keeps the calling thread on its own processor. Where that is refused the
// thread wanders, as it would without us.
func bind(processors []int, member int) {
	if len(processors) == 0 {
		return
	}
	var set unix.CPUSet
	set.Set(processors[member%len(processors)])
	_ = unix.SchedSetaffinity(0, &set)
}

// direct opens a file past the page cache.
const direct = unix.O_DIRECT

// volume says how much room the file system of a folder has, and what it is.
func volume(dir string) (free int64, system string, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, "", fmt.Errorf("%s: %w: pass a folder that is there (--dir)", dir, err)
	}
	return int64(fs.Bavail) * fs.Bsize, fileSystem(int64(fs.Type)), nil
}

// fileSystem names the types that hosts of AI systems have.
func fileSystem(magic int64) string {
	names := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
		unix.NFS_SUPER_MAGIC: "nfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.FUSE_SUPER_MAGIC: "fuse", unix.CEPH_SUPER_MAGIC: "ceph",
		0x0bd00bd0: "lustre", 0x47504653: "gpfs", 0x2fc12fc1: "zfs", 0x19830326: "beegfs",
	}
	if name, ok := names[magic]; ok {
		return name
	}
	return fmt.Sprintf("type %#x", magic)
}

// forget asks the kernel to let go of what it has cached of a file.
func forget(f *os.File) error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// keep waits until the disk has the data of a file.
func keep(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// kernelLink is what the kernel knows of a connection, and how many segments it has
// sent again.
func kernelLink(conn *net.TCPConn) (l Link, resent uint32, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return l, 0, err
	}
	var info *unix.TCPInfo
	var infoErr, nameErr error
	err = raw.Control(func(fd uintptr) {
		info, infoErr = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		l.Congestion, nameErr = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	})
	if err := errors.Join(err, infoErr, nameErr); err != nil {
		return l, 0, err
	}
	l.PathMTU, l.Segment = int(info.Pmtu), int(info.Snd_mss)
	return l, info.Total_retrans, nil
}
