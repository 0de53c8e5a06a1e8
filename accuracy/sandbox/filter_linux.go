//go:build linux && (amd64 || arm64)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The fields of what a filter sees of a call: struct seccomp_data of the kernel. The
// low half of an argument comes first on both machines.
const (
	seenCall     = 0
	seenMachine  = 4
	seenArgument = 16
)

// otherTable is set in the numbers of amd64's x32 calls, which no program here makes.
const otherTable = 0x40000000

// filter is the seccomp program of calls and conditions.
func filter(calls []uintptr, conditions []condition) []unix.SockFilter {
	code := []unix.SockFilter{
		load(seenMachine), equal(machine, 1, 0), answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(seenCall), jump(unix.BPF_JSET, otherTable, 0, 1), answer(unix.SECCOMP_RET_KILL_PROCESS),
	}
	for _, c := range calls {
		code = append(code, equal(uint32(c), 0, 1), answer(unix.SECCOMP_RET_ALLOW))
	}
	for _, c := range conditions {
		body := c.body()
		code = append(append(code, equal(uint32(c.call), 0, uint8(len(body)))), body...)
	}
	return append(code, answer(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)))
}

// body decides a call that is known to be c's. Flags and values of these calls are all
// in the low half of their argument, and the kernel looks at no more of it.
func (c condition) body() []unix.SockFilter {
	code := []unix.SockFilter{load(seenArgument + 8*uint32(c.argument))}
	for _, value := range c.equals {
		code = append(code, equal(value, 0, 1), answer(unix.SECCOMP_RET_ALLOW))
	}
	if len(c.equals) == 0 {
		code = append(code, jump(unix.BPF_JSET, c.mask, 1, 0), answer(unix.SECCOMP_RET_ALLOW))
	}
	return append(code, answer(unix.SECCOMP_RET_ERRNO|uint32(c.refusal)))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func equal(value uint32, yes, no uint8) unix.SockFilter {
	return jump(unix.BPF_JEQ, value, yes, no)
}

func jump(test uint16, value uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | test, K: value, Jt: yes, Jf: no}
}

func answer(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// install puts code on this thread and on everything that it starts.
func install(code []unix.SockFilter) error {
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
