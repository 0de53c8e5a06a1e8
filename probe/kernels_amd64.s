#include "textflag.h"

// A tile is six rows of C in twelve registers: two registers of B, and each element
// of A spread over a register of its own, for every step of k.

#define STEP(spread, fma, load, at, next, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, b0, b1, a0, a1) \
	load (DI), b0             \
	load at(DI), b1           \
	spread (SI), a0           \
	spread next(SI), a1       \
	fma b0, a0, r0            \
	fma b1, a0, r1            \
	fma b0, a1, r2            \
	fma b1, a1, r3            \
	spread 2*next(SI), a0     \
	spread 3*next(SI), a1     \
	fma b0, a0, r4            \
	fma b1, a0, r5            \
	fma b0, a1, r6            \
	fma b1, a1, r7            \
	spread 4*next(SI), a0     \
	spread 5*next(SI), a1     \
	fma b0, a0, r8            \
	fma b1, a0, r9            \
	fma b0, a1, r10           \
	fma b1, a1, r11

#define CLEAR(zero, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11) \
	zero r0, r0, r0    \
	zero r1, r1, r1    \
	zero r2, r2, r2    \
	zero r3, r3, r3    \
	zero r4, r4, r4    \
	zero r5, r5, r5    \
	zero r6, r6, r6    \
	zero r7, r7, r7    \
	zero r8, r8, r8    \
	zero r9, r9, r9    \
	zero r10, r10, r10 \
	zero r11, r11, r11

#define STORE(store, at, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11) \
	store r0, (DX)       \
	store r1, at(DX)     \
	store r2, 2*at(DX)   \
	store r3, 3*at(DX)   \
	store r4, 4*at(DX)   \
	store r5, 5*at(DX)   \
	store r6, 6*at(DX)   \
	store r7, 7*at(DX)   \
	store r8, 8*at(DX)   \
	store r9, 9*at(DX)   \
	store r10, 10*at(DX) \
	store r11, 11*at(DX)

#define TILE(spread, fma, load, zero, at, next, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, b0, b1, a0, a1) \
	MOVQ k+0(FP), CX  \
	MOVQ a+8(FP), SI  \
	MOVQ b+16(FP), DI \
	MOVQ c+24(FP), DX \
	CLEAR(zero, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11) \
loop: \
	STEP(spread, fma, load, at, next, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, b0, b1, a0, a1) \
	ADDQ $(6*next), SI \
	ADDQ $(2*at), DI   \
	DECQ CX            \
	JNZ  loop          \
	STORE(load, at, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11) \
	VZEROUPPER \
	RET

// func tile64AVX2(k int, a, b, c *float64)
TEXT ·tile64AVX2(SB), NOSPLIT, $0-32
	TILE(VBROADCASTSD, VFMADD231PD, VMOVUPD, VPXOR, 32, 8, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

// func tile32AVX2(k int, a, b, c *float32)
TEXT ·tile32AVX2(SB), NOSPLIT, $0-32
	TILE(VBROADCASTSS, VFMADD231PS, VMOVUPS, VPXOR, 32, 4, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

// func tile64AVX512(k int, a, b, c *float64)
TEXT ·tile64AVX512(SB), NOSPLIT, $0-32
	TILE(VBROADCASTSD, VFMADD231PD, VMOVUPD, VPXORQ, 64, 8, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

// func tile32AVX512(k int, a, b, c *float32)
TEXT ·tile32AVX512(SB), NOSPLIT, $0-32
	TILE(VBROADCASTSS, VFMADD231PS, VMOVUPS, VPXORQ, 64, 4, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

// The line y = ax + b, so many rounds of it on eight registers between their load
// and their store: each round adds two operations for each element and no traffic.
// Eight chains hide the latency of four cycles on two units.

#define LINE(load, fma, at, a, b, r0, r1, r2, r3, r4, r5, r6, r7) \
block: \
	load (SI), r0     \
	load at(SI), r1   \
	load 2*at(SI), r2 \
	load 3*at(SI), r3 \
	load 4*at(SI), r4 \
	load 5*at(SI), r5 \
	load 6*at(SI), r6 \
	load 7*at(SI), r7 \
	MOVQ DX, BX       \
round: \
	fma b, a, r0 \
	fma b, a, r1 \
	fma b, a, r2 \
	fma b, a, r3 \
	fma b, a, r4 \
	fma b, a, r5 \
	fma b, a, r6 \
	fma b, a, r7 \
	DECQ BX      \
	JNZ  round   \
	load r0, (SI)     \
	load r1, at(SI)   \
	load r2, 2*at(SI) \
	load r3, 3*at(SI) \
	load r4, 4*at(SI) \
	load r5, 5*at(SI) \
	load r6, 6*at(SI) \
	load r7, 7*at(SI) \
	ADDQ $(8*at), SI  \
	DECQ CX           \
	JNZ  block        \
	VZEROUPPER        \
	RET

// func lineAVX2(x *float64, blocks, rounds int, a, b float64)
TEXT ·lineAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ rounds+16(FP), DX
	VBROADCASTSD a+24(FP), Y8
	VBROADCASTSD b+32(FP), Y9
	LINE(VMOVUPD, VFMADD213PD, 32, Y8, Y9, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

// func lineAVX512(x *float64, blocks, rounds int, a, b float64)
TEXT ·lineAVX512(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ rounds+16(FP), DX
	VBROADCASTSD a+24(FP), Z8
	VBROADCASTSD b+32(FP), Z9
	LINE(VMOVUPD, VFMADD213PD, 64, Z8, Z9, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
