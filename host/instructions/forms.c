/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms of `bench instructions --list all`: a mnemonic and its operands, from which
 * operands.c makes code. r64 is a register, x and y are vector registers, m64 is memory,
 * i8 a number; + is read and written, = is written only. A form with | has its code itself: of its
 * latency, and of twelve independent instances. */
#include "host/instructions/forms.h"

#include <stddef.h>

/* clang-format off */
const char *const instruction_forms[] = {
    /* Integers. */
    "add r64+, r64", "add r32+, r32", "add r16+, r16", "add r8+, r8", "add r64+, i8", "add r64+, m64",
    "add m64+, r64", "sub r64+, r64", "adc r64+, r64", "sbb r64+, r64", "and r64+, r64", "or r64+, r64",
    "xor r64+, r64", "cmp r64, r64", "test r64, r64", "inc r64+", "dec r64+", "neg r64+", "not r64+",
    "imul r64+, r64", "imul r32+, r32", "imul r16+, r16", "imul r64=, r64, i8", "imul r64+, m64",
    "shl r64+, i8", "shr r64+, i8", "sar r64+, i8", "rol r64+, i8", "ror r64+, i8", "rcl r64+, 1",
    "shld r64+, r64, i8", "shrd r64+, r64, i8", "shl r64+, cl", "bswap r64+", "bswap r32+",
    "bt r64, r64", "bts r64+, r64", "bsf r64+, r64", "bsr r64+, r64", "cmovz r64+, r64", "cmovbe r64+, r64",
    "setz r8=", "seta r8=", "movzx r64=, r8", "movsx r64=, r8", "movsxd r64=, r32", "mov r64=, r64",
    "mov r32=, r32", "mov r64=, i8", "mov r64=, m64", "mov m64=, r64", "xchg r64+, r64", "xadd r64+, r64",
    "nop",
    "LEA_B_D8 (R64) | lea rax, [rax + 8] | lea %s, [r15 + 8]",
    "LEA_B_I_D8 (R64) | lea rax, [rax + rbx + 8] | lea %s, [r15 + r13 + 8]",
    "MUL (R64) | mul r15 | mul r15",
    "DIV (R32) | xor edx, edx; div r15d | xor edx, edx; div r15d",
    "DIV (R64) | xor edx, edx; div r15 | xor edx, edx; div r15",
    "IDIV (R64) | cqo; idiv r15 | cqo; idiv r15",
    "PUSH, POP (R64) | push rax; pop rax | push r15; pop %s",
    "LODSQ | mov rsi, r14; lodsq | mov rsi, r14; lodsq",
    "STOSQ | mov rdi, r14; stosq | mov rdi, r14; stosq",
    "REP MOVSB, 64 bytes | mov rsi, r14; lea rdi, [r14 + 512]; mov ecx, 64; rep movsb | "
        "mov rsi, r14; lea rdi, [r14 + 512]; mov ecx, 64; rep movsb",
    /* BMI, POPCNT, CRC32, AES, PCLMULQDQ. */
    "popcnt r64=, r64", "lzcnt r64=, r64", "tzcnt r64=, r64", "andn r64=, r64, r64", "bextr r64=, r64, r64",
    "blsi r64=, r64", "blsr r64=, r64", "blsmsk r64=, r64", "bzhi r64=, r64, r64", "pdep r64=, r64, r64",
    "pext r64=, r64, r64", "rorx r64=, r64, i8", "sarx r64=, r64, r64", "shlx r64=, r64, r64",
    "crc32 r64+, r64", "crc32 r32+, r8", "aesenc x+, x", "aesenclast x+, x", "aesdec x+, x", "aesimc x=, x",
    "aeskeygenassist x=, x, i8", "pclmulqdq x+, x, i8",
    /* SSE to SSE4.2. */
    "addps x+, x", "addpd x+, x", "addss x+, x", "addsd x+, x", "addps x+, m128", "subps x+, x", "mulps x+, x",
    "mulpd x+, x", "mulss x+, x", "mulsd x+, x", "divps x+, x", "divpd x+, x", "divss x+, x", "divsd x+, x",
    "sqrtps x=, x", "sqrtpd x=, x", "sqrtss x+, x", "sqrtsd x+, x", "rcpps x=, x", "rsqrtps x=, x",
    "minps x+, x", "maxpd x+, x", "cmpps x+, x, i8", "ucomiss x, x", "andps x+, x", "orps x+, x", "xorps x+, x",
    "shufps x+, x, i8", "unpcklps x+, x", "haddps x+, x", "roundps x=, x, i8", "dpps x+, x, i8",
    "blendps x+, x, i8", "movaps x=, x", "movaps x=, m128", "movaps m128=, x", "movups x=, m128",
    "movss x=, m32", "cvtps2pd x=, x", "cvtpd2ps x=, x", "cvtdq2ps x=, x", "cvtps2dq x=, x", "cvttps2dq x=, x",
    "paddb x+, x", "paddd x+, x", "paddq x+, x", "psubd x+, x", "pmullw x+, x", "pmulld x+, x", "pmuludq x+, x",
    "pmaddwd x+, x", "pand x+, x", "por x+, x", "pxor x+, x", "pcmpeqd x+, x", "pcmpgtd x+, x", "pcmpgtq x+, x",
    "pminsd x+, x", "pmaxub x+, x", "pabsd x=, x", "pavgb x+, x", "psadbw x+, x", "pslld x+, i8", "psrldq x+, i8",
    "pslld x+, x", "pshufb x+, x", "pshufd x=, x, i8", "punpckldq x+, x", "packssdw x+, x", "palignr x+, x, i8",
    "phaddd x+, x", "ptest x, x", "movdqa x=, x", "movdqa x=, m128", "pinsrd x+, r32, i8",
    "MOVQ (XMM, R64), MOVQ (R64, XMM) | movq xmm0, rax; movq rax, xmm0 | movq xmm1, r15; movq %s, xmm15",
    "CVTSI2SD (XMM, R64), CVTTSD2SI (R64, XMM) | cvtsi2sd xmm0, rax; cvttsd2si rax, xmm0 | "
        "cvtsi2sd xmm1, r15; cvttsd2si %s, xmm15",
    "PMOVMSKB (R32, XMM), MOVD (XMM, R32) | movd xmm0, eax; pmovmskb eax, xmm0 | "
        "movd xmm1, r15d; pmovmskb eax, xmm15",
    /* AVX, AVX2, FMA, F16C. */
    "vaddps x=, x, x", "vaddps y=, y, y", "vaddpd y=, y, y", "vmulps y=, y, y", "vmulpd y=, y, y",
    "vdivps y=, y, y", "vdivpd y=, y, y", "vsqrtpd y=, y", "vaddps y=, y, m256", "vminps y=, y, y",
    "vandps y=, y, y", "vblendvps y=, y, y, y", "vshufps y=, y, y, i8", "vpermilps y=, y, i8",
    "vperm2f128 y=, y, y, i8", "vinsertf128 y=, y, x, i8", "vextractf128 x=, y, i8", "vbroadcastss y=, m32",
    "vmovaps y=, m256", "vmovaps m256=, y", "vhaddpd y=, y, y", "vroundpd y=, y, i8", "vcvtdq2ps y=, y",
    "vcvtps2dq y=, y", "vcvtps2ph x=, y, i8", "vcvtph2ps y=, x", "vpaddd y=, y, y", "vpmulld y=, y, y",
    "vpmuludq y=, y, y", "vpand y=, y, y", "vpcmpeqd y=, y, y", "vpshufb y=, y, y", "vpshufd y=, y, i8",
    "vpermd y=, y, y", "vpermq y=, y, i8", "vpsllvd y=, y, y", "vpslld y=, y, i8", "vpsadbw y=, y, y",
    "vpbroadcastd y=, x", "vpmovzxbd y=, x", "vpblendvb y=, y, y, y", "vfmadd231ps x+, x, x",
    "vfmadd231ps y+, y, y", "vfmadd213pd y+, y, y", "vfmadd231sd x+, x, x", "vfnmadd231ps y+, y, y",
    "VPGATHERDD (YMM, M, YMM) | vpcmpeqd ymm2, ymm2, ymm2; vpsrld ymm1, ymm0, 31; "
        "vpgatherdd ymm0, [r14 + ymm1 * 4], ymm2 | vpcmpeqd ymm2, ymm2, ymm2; vpxor ymm0, ymm0, ymm0; "
        "vpxor ymm1, ymm1, ymm1; vpgatherdd ymm0, [r14 + ymm1 * 4], ymm2",
    NULL,
};
/* clang-format on */
