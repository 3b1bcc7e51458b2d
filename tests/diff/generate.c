/* SPDX-License-Identifier: BSD-2-Clause */
/* Random code: instructions from a table of forms, or in ring 3 plain random bytes. Left out are
 * instructions that rightly differ (the PMU, CPUID, the clock, random numbers), devices, and
 * instructions that a kernel cannot survive. Intel SDM vol. 2, chapter 2 (formats). */
#include "tests/diff/diff.h"
#include "emulator/visor/base/lib.h"

#define INSTRUCTIONS 12
#define RANDOM_BYTES 24
/* PUSH ES, which 64-bit code does not have: wherever a jump leads, it ends there. */
#define UNDEFINED    0x06
#define NOP          0x90
#define REX_W        0x48
#define DEFINE_FLAGS "\x85\xc0" /* TEST EAX, EAX */

struct code {
	struct dice *dice;
	unsigned ring;
	uint8_t *at;
};

static void byte(struct code *c, unsigned value)
{
	*c->at++ = (uint8_t)value;
}

static void bytes(struct code *c, const char *text, unsigned n)
{
	while (n--)
		byte(c, (uint8_t)*text++);
}

#define BYTES(c, text) bytes(c, text, sizeof(text) - 1)

static void immediate(struct code *c, unsigned n)
{
	uint64_t value = roll(c->dice);

	for (; n--; value >>= 8)
		byte(c, (uint8_t)value);
}

/* Returns a register that may be changed: in ring 0 not one by which memory is addressed. */
static unsigned reg(struct code *c)
{
	static const uint8_t kernel[] = {RAX, RCX, RDX, RBP, R8, R9, R10, R11, R12, R15};

	if (c->ring)
		return below(c->dice, 16) == RSP ? RAX : below(c->dice, 16);
	return kernel[below(c->dice, sizeof(kernel))];
}

static void rex_modrm(struct code *c, const char *opcode, unsigned n, unsigned r, unsigned m)
{
	byte(c, 0x40 | (below(c->dice, 2) << 3) | (r >> 3) << 2 | m >> 3);
	bytes(c, opcode, n);
	byte(c, 0xc0 | (r & 7) << 3 | (m & 7));
}

/* [RBX, RSI or RDI + 8 bits]. */
static void memory(struct code *c, const char *opcode, unsigned n, unsigned r)
{
	static const uint8_t bases[] = {RBX, RSI, RDI};

	byte(c, 0x40 | (below(c->dice, 2) << 3) | (r >> 3) << 2);
	bytes(c, opcode, n);
	byte(c, 0x40 | (r & 7) << 3 | bases[below(c->dice, sizeof(bases))]);
	immediate(c, 1);
}

static void alu(struct code *c)
{
	char opcode = (char)(below(c->dice, 8) << 3 | below(c->dice, 4));
	unsigned r = reg(c), m = reg(c);

	if (below(c->dice, 3))
		rex_modrm(c, &opcode, 1, r, m);
	else
		memory(c, &opcode, 1, r);
}

static void alu_immediate(struct code *c)
{
	rex_modrm(c, "\x83", 1, below(c->dice, 8), reg(c));
	immediate(c, 1);
}

static void load_immediate(struct code *c)
{
	unsigned r = reg(c);

	byte(c, REX_W | r >> 3);
	byte(c, 0xb8 | (r & 7));
	immediate(c, 8);
}

static void shift(struct code *c)
{
	if (below(c->dice, 2)) {
		rex_modrm(c, "\xc1", 1, below(c->dice, 8), reg(c));
		immediate(c, 1);
	} else {
		rex_modrm(c, "\xd3", 1, below(c->dice, 8), reg(c));
	}
}

/* TEST's second form is undocumented; NOT, NEG, MUL, IMUL, DIV, IDIV. */
static void unary(struct code *c)
{
	rex_modrm(c, "\xf7", 1, 2 + below(c->dice, 6), reg(c));
}

static void two_byte(struct code *c)
{
	static const char opcodes[][3] = {"\x0f\xaf", "\x0f\xbc", "\x0f\xbd", "\x0f\xb6",
					  "\x0f\xbe", "\x0f\xb7", "\x0f\xbf", "\x0f\xc1",
					  "\x0f\xb1", "\x0f\x44", "\x0f\x4f", "\x0f\xa5",
					  "\x0f\xad", "\x0f\x02", "\x0f\x03", "\x0f\x1f"};

	rex_modrm(c, opcodes[below(c->dice, sizeof(opcodes) / 3)], 2, reg(c), reg(c));
}

/* Bit tests, whose undefined flags the emulator derives from those before: something after it sets
 * them. */
static void bit_test(struct code *c)
{
	static const char opcodes[][3] = {"\x0f\xa3", "\x0f\xab", "\x0f\xb3", "\x0f\xbb"};

	rex_modrm(c, opcodes[below(c->dice, 4)], 2, reg(c), reg(c));
	BYTES(c, DEFINE_FLAGS);
}

static void locked(struct code *c)
{
	byte(c, 0xf0);
	if (below(c->dice, 2))
		memory(c, "\x0f\xb1", 2, reg(c));
	else
		memory(c, "\x0f\xc1", 2, reg(c));
}

/* MOV, MOVBE, LEA, XCHG, PUSH and POP of memory. */
static void move(struct code *c)
{
	static const char opcodes[] = "\x88\x89\x8a\x8b\x8d\x87";
	unsigned which = below(c->dice, 8);

	if (which < 6)
		memory(c, &opcodes[which], 1, reg(c));
	else
		memory(c, which == 6 ? "\xff" : "\x8f", 1, which == 6 ? 6 : 0);
}

static void stack(struct code *c)
{
	unsigned r = reg(c);

	if (r >> 3)
		byte(c, 0x41);
	byte(c, (below(c->dice, 2) ? 0x50 : 0x58) | (r & 7));
}

static void flags(struct code *c)
{
	static const char forms[] = "\x9c\x9d\x9e\x9f\xf5\xf8\xf9\xfc\xfd\x98\x99\x90";

	byte(c, (uint8_t)forms[below(c->dice, sizeof(forms) - 1)]);
}

static void string(struct code *c)
{
	static const char forms[] = "\xa4\xa5\xa6\xa7\xaa\xab\xac\xad\xae\xaf";

	if (below(c->dice, 2))
		byte(c, 0xf2 + below(c->dice, 2));
	if (below(c->dice, 2))
		byte(c, REX_W);
	byte(c, (uint8_t)forms[below(c->dice, sizeof(forms) - 1)]);
}

/* Forward, into whatever comes. */
static void jump(struct code *c)
{
	unsigned kind = below(c->dice, 20);

	byte(c, kind < 16    ? 0x70 | kind
		: kind == 16 ? 0xeb
		: kind == 17 ? 0xe2
		: kind == 18 ? 0xe3
			     : 0xe0);
	byte(c, c->ring ? below(c->dice, 4) : 0);
}

static void call(struct code *c)
{
	if (below(c->dice, 3))
		BYTES(c, "\xe8\x00\x00\x00\x00");
	else if (c->ring)
		byte(c, below(c->dice, 2) ? 0xc3 : 0xc9); /* RET, LEAVE */
}

static void vector_unit(struct code *c)
{
	static const char forms[][5] = {
	    "\x66\x0f\xfe\xc1", /* paddd xmm0, xmm1 */
	    "\x66\x0f\xef\xd3", /* pxor xmm2, xmm3 */
	    "\x0f\x28\x03\x90", /* movaps xmm0, [rbx] */
	    "\x0f\x29\x06\x90", /* movaps [rsi], xmm0 */
	    "\x0f\x10\x0f\x90", /* movups xmm1, [rdi] */
	    "\xd9\xe8\xd9\xeb", /* fld1, fldpi */
	    "\xde\xc1\xdd\x1b", /* faddp, fstp qword [rbx] */
	    "\xdd\x03\xd9\xfa", /* fld qword [rbx], fsqrt */
	    "\x0f\x77\x9b\x90", /* emms, fwait */
	};

	bytes(c, forms[below(c->dice, sizeof(forms) / 5)], 4);
}

/* Instructions that fault, trap or enter the kernel; in ring 0 they do not. */
static void trapping(struct code *c)
{
	static const char forms[][4] = {
	    "\xcc\x90\x90", /* int3 */
	    "\x0f\x0b\x90", /* ud2 */
	    "\xf1\x90\x90", /* int1 */
	    "\x0f\x05\x90", /* syscall */
	    "\x0f\x34\x90", /* sysenter */
	    "\xce\x90\x90", /* into */
	    "\x0f\x01\xd9", /* vmmcall */
	    "\x0f\x01\xc1", /* vmcall */
	    "\x0f\x30\x90", /* wrmsr */
	    "\x0f\x32\x90", /* rdmsr */
	    "\x0f\x06\x90", /* clts */
	    "\x0f\x20\xc0", /* mov rax, cr0 */
	    "\x0f\x22\xd8", /* mov cr3, rax */
	    "\x0f\x21\xf0", /* mov rax, dr6 */
	    "\xf4\x90\x90", /* hlt */
	    "\xfa\x90\x90", /* cli */
	    "\xfb\x90\x90", /* sti */
	    "\xec\x90\x90", /* in al, dx */
	    "\xef\x90\x90", /* out dx, eax */
	    "\x0f\x09\x90", /* wbinvd */
	    "\x0f\x07\x90", /* sysret */
	    "\x48\xcf\x90", /* iretq */
	    "\xcb\x90\x90", /* retf */
	    "\x0f\x01\xf8", /* swapgs */
	};

	if (below(c->dice, 3) || !c->ring) {
		byte(c, 0xcd);
		byte(c, c->ring ? below(c->dice, 256) : 0x30 + below(c->dice, 16));
	} else {
		bytes(c, forms[below(c->dice, sizeof(forms) / 4)], 3);
	}
}

static void system_state(struct code *c)
{
	static const char forms[][6] = {
	    "\x0f\x01\x03\x90\x90", /* sgdt [rbx] */
	    "\x0f\x01\x0b\x90\x90", /* sidt [rbx] */
	    "\x48\x0f\x01\xe0\x90", /* smsw rax */
	    "\x0f\x00\xc8\x90\x90", /* str eax */
	    "\x0f\x00\xc2\x90\x90", /* sldt edx */
	    "\x8c\xd8\x90\x90\x90", /* mov eax, ds */
	    "\x8e\xd8\x90\x90\x90", /* mov ds, eax */
	    "\x31\xc0\x8e\xe0\x90", /* xor eax, eax; mov fs, eax */
	    "\xf3\x90\x90\x90\x90", /* pause */
	    "\x0f\x00\xe0\x90\x90", /* verr ax */
	    "\x0f\x00\xea\x90\x90", /* verw dx */
	    "\x0f\x01\xd0\x90\x90", /* xgetbv */
	    "\xf3\x48\x0f\xae\xc0", /* rdfsbase rax */
	    "\xd7\x90\x90\x90\x90", /* xlat */
	    "\x8c\xd2\x8e\xd2\x90", /* mov edx, ss; mov ss, edx: a shadow in ring 0 */
	};

	bytes(c, forms[below(c->dice, sizeof(forms) / 6)], 5);
}

/* XORs some harmless bits of a control register. */
static void control_register(struct code *c)
{
	static const struct {
		uint8_t number, bits[8], nr;
	} rows[] = {
	    {0, {1, 2, 3, 5, 16, 18}, 6}, /* MP, EM, TS, NE, WP, AM */
	    {4,
	     {2, 3, 7, 8, 9, 10, 11, 16},
	     8}, /* TSD, DE, PGE, PCE, OSFXSR, OSXMMEXCPT, UMIP, FSGSBASE */
	    {3, {0}, 0},
	};
	unsigned row = below(c->dice, 3), number = rows[row].number;

	BYTES(c, "\x0f\x20");
	byte(c, 0xc0 | number << 3); /* MOV RAX, CRn */
	if (rows[row].nr) {
		BYTES(c, "\x48\x0f\xba\xf8"); /* BTC RAX, bit */
		byte(c, rows[row].bits[below(c->dice, rows[row].nr)]);
		BYTES(c, DEFINE_FLAGS);
	}
	BYTES(c, "\x0f\x22");
	byte(c, 0xc0 | number << 3);
}

static void other_register(struct code *c)
{
	static const char forms[][5] = {
	    "\x0f\x22\xd0\x90", /* mov cr2, rax */
	    "\x0f\x20\xd0\x90", /* mov rax, cr2 */
	    "\x0f\x23\xc8\x90", /* mov dr1, rax */
	    "\x0f\x21\xca\x90", /* mov rdx, dr1 */
	    "\x0f\x21\xf0\x90", /* mov rax, dr6 */
	    "\x0f\x21\xf8\x90", /* mov rax, dr7 */
	    "\x44\x0f\x20\xc0", /* mov rax, cr8 */
	    "\x0f\x06\x90\x90", /* clts */
	    "\x0f\x01\x3b\x90", /* invlpg [rbx] */
	    "\x0f\x09\x90\x90", /* wbinvd */
	    "\x0f\x01\xf8\x90", /* swapgs */
	    "\xfa\x90\xfb\x90", /* cli, sti */
	    "\x0f\x20\xc8\x90", /* mov rax, cr1, which is not there */
	    "\x0f\x01\xd9\x90", /* vmmcall */
	    "\x0f\x01\xde\x90", /* skinit */
	    "\x0f\xae\xf0\x90", /* mfence */
	};

	bytes(c, forms[below(c->dice, sizeof(forms) / 5)], 4);
}

static void table_register(struct code *c)
{
	static const char forms[][9] = {
	    "\x0f\x01\x03\x0f\x01\x13\x90\x90", /* sgdt [rbx]; lgdt [rbx] */
	    "\x0f\x01\x0b\x0f\x01\x1b\x90\x90", /* sidt [rbx]; lidt [rbx] */
	    "\x31\xc0\x0f\x00\xd0\x90\x90\x90", /* xor eax, eax; lldt ax */
	    "\x0f\x00\xc8\x0f\x00\xd8\x90\x90", /* str eax; ltr ax: it is busy */
	    "\x0f\x01\xe0\x0f\x01\xf0\x90\x90", /* smsw eax; lmsw ax */
	};

	bytes(c, forms[below(c->dice, sizeof(forms) / 9)], 8);
}

/* RDMSR and WRMSR of registers that the two machines share. */
static void model_specific(struct code *c)
{
	static const uint32_t msrs[] = {0xc0000100, 0xc0000101, 0xc0000102, 0xc0000103,
					0xc0000083, 0xc0000081, 0xc0000082, 0xc0000084,
					0x174,      0x175,      0x176,      0x277};
	uint32_t msr = msrs[below(c->dice, sizeof(msrs) / sizeof(msrs[0]))];

	byte(c, 0xb9); /* MOV ECX, msr */
	for (unsigned i = 0; i < 4; i++)
		byte(c, msr >> 8 * i & 0xff);
	if (below(c->dice, 2) || (msr >= 0xc0000081 && msr <= 0xc0000082) || msr == 0x277)
		BYTES(c, "\x0f\x32");
	else
		BYTES(c, "\x31\xd2\x0f\x30"); /* XOR EDX, EDX: a canonical address */
}

static void far_return(struct code *c)
{
	if (below(c->dice,
		  2)) /* push ss; push rsp; pushfq; push cs; lea rax, [rip + 5]; push rax; iretq */
		BYTES(c,
		      "\x8c\xd0\x50\x54\x9c\x8c\xc8\x50\x48\x8d\x05\x03\x00\x00\x00\x50\x48\xcf");
	else /* push cs; lea rax, [rip + 3]; push rax; retfq */
		BYTES(c, "\x8c\xc8\x50\x48\x8d\x05\x03\x00\x00\x00\x50\x48\xcb");
}

/* Into ring 3 after it, with flags of R11, but VM, VIF and VIP, which the emulator takes otherwise
 * than a processor, and IOPL; and IF is set. DS and ES are ring 3's: the IRET of a PMI empties
 * them otherwise. */
static void system_return(struct code *c)
{
	if (below(c->dice, 4))
		return;
	/* mov eax, 0x23; mov ds, eax; mov es, eax */
	BYTES(c, "\xb8\x23\x00\x00\x00\x8e\xd8\x8e\xc0");
	BYTES(c,
	      "\x41\x81\xe3\xd7\x4d\x24\x00\x41\x81\xcb\x00\x02\x00\x00"); /* and r11d, or r11d */
	/* lea rcx, [rip + 3]; sysretq */
	BYTES(c, "\x48\x8d\x0d\x03\x00\x00\x00\x48\x0f\x07");
}

typedef void form(struct code *);

static form *const forms[] = {
    alu,
    alu,
    alu_immediate,
    load_immediate,
    shift,
    unary,
    two_byte,
    two_byte,
    bit_test,
    locked,
    move,
    move,
    stack,
    stack,
    flags,
    string,
    jump,
    call,
    vector_unit,
    flags,
    trapping,
    system_state,
    /* ring 0 only */
    control_register,
    other_register,
    table_register,
    model_specific,
    far_return,
    system_return,
};

#define FORMS        (sizeof(forms) / sizeof(forms[0]))
#define KERNEL_FORMS 6

/* SVM's instructions, but VMMCALL: QEMU looks at ring and operand before the intercept. */
static bool is_svms(uint8_t last)
{
	return (last & 0xf8) == 0xd8 && last != 0xd9 && last != 0xde;
}

/* RCL, RCR or SETcc of memory: where it faults the emulator has lost the flags before. */
static bool loses_flags(const uint8_t *at)
{
	bool rotates = (at[0] & 0xfe) == 0xc0 || (at[0] & 0xfc) == 0xd0;

	return (rotates && at[1] < 0xc0 && (at[1] & 0x30) == 0x10) ||
	       (at[0] == 0x0f && (at[1] & 0xf0) == 0x90 && at[2] < 0xc0);
}

/* A bit test, BT to BTC, with nothing after it that sets the flags. */
static bool leaves_flags(const uint8_t *at)
{
	unsigned length = at[1] == 0xba ? 4 : 3;

	if (at[0] != 0x0f || (at[1] != 0xba && (at[1] & 0xe7) != 0xa3))
		return false;
	return at[2] < 0xc0 || memcmp(at + length, DEFINE_FLAGS, sizeof(DEFINE_FLAGS) - 1);
}

/* CPUID, RDTSC, RDTSCP, RDRAND and RDSEED, and those. */
static bool differs(const uint8_t *at)
{
	if (leaves_flags(at))
		return true;
	return at[0] == 0x0f && (at[1] == 0xa2 || at[1] == 0x31 || at[1] == 0xc7 ||
				 (at[1] == 0x01 && (at[2] == 0xf9 || is_svms(at[2]))));
}

/* LOCK before what does not take it: the emulator is not strict, and ends at some. */
static bool locks_wrongly(const uint8_t *at)
{
	const uint8_t *opcode = (at[1] & 0xf0) == 0x40 ? at + 2 : at + 1;

	return at[0] == 0xf0 && (opcode[0] != 0x0f || (opcode[1] != 0xb1 && opcode[1] != 0xc1));
}

static bool is_pause(const uint8_t *at)
{
	return at[0] == 0xf3 && (at[1] == NOP || ((at[1] & 0xf0) == 0x40 && at[2] == NOP));
}

/* Replaces instructions that differ, wherever bytes happen to make one; a replaced byte makes no
 * new one. The kernel's forms are never of the last kind, but the bytes of two may look like it. */
static void clean(uint8_t *code, uint8_t *end, unsigned ring, bool pause)
{
	for (uint8_t *at = end; at-- > code;)
		if (differs(at) || (!pause && is_pause(at)) ||
		    (ring && (loses_flags(at) || locks_wrongly(at))))
			*at = NOP;
}

static void random_bytes(struct code *c)
{
	immediate(c, 8);
	immediate(c, 8);
	immediate(c, RANDOM_BYTES - 16);
}

void generate(struct dice *dice, unsigned ring, bool pause, uint8_t *code)
{
	struct code c = {dice, ring, code};

	for (unsigned i = 0; i < CODE_BYTES; i++)
		code[i] = UNDEFINED;
	if (ring && !below(dice, 3))
		random_bytes(&c);
	else
		for (unsigned n = 1 + below(dice, INSTRUCTIONS); n; n--)
			forms[below(dice, ring ? FORMS - KERNEL_FORMS : FORMS)](&c);
	clean(code, c.at, ring, pause);
}
