package sandbox

// oldDoor is open on amd64 alone: 64-bit programs can make system calls as 32-bit ones
// do, with other numbers than a filter expects.
var oldDoor = []attack{
	{name: "system calls by the 32-bit door", want: Killed, why: "signal 31", source: `
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()`},
}
