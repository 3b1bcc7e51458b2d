/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures blocks of instructions on the processor that it runs on: cycles of each in a row of
 * copies, its last branch left out. usage: native OBJECT, whose functions are the blocks. A cycle
 * is the time of a dependent addition. Blocks that fault, except by a missing page, are left out.
 */
#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/sim/decode/decode.h"

#define CODE        ((uint8_t *)0x10000000000) /* nothing else is within 2 GiB of it */
#define CODE_SIZE   (64 << 10)
#define PAGE        4096
#define COPIES_MAX  200
#define BYTES_MAX   8192 /* of the shorter of two rows */
#define INSNS_MAX   600
#define ROUNDS      60
#define RUNS        6    /* of one row in turn, of which the first finds nothing in the caches */
#define CHAIN       1000 /* dependent additions */
#define FAULTS_MAX  4000
#define FIRST_VALUE 0x20000000
/* Registers are in different pages, at falling offsets within them: the stores of one stream are
 * not in the way of another's loads. */
#define REGISTER_STEP 0x100f00
#define PAGES         16

struct row {
	const uint8_t *code;
	unsigned size, insns;
};

extern void native_run(const void *code) __asm__("native_run");
extern char native_end[] __asm__("native_end");
uint64_t native_start __asm__("native_start"), native_stop __asm__("native_stop");
uint64_t native_stack __asm__("native_stack"), native_target __asm__("native_target");
uint64_t native_registers[16] __asm__("native_registers");
double native_one[2] __asm__("native_one") = {1, 1};

/* All registers except the flags are loaded when the row begins. */
__asm__(".text\n"
	"native_run:\n"
	"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
	"	movq %rsp, native_stack(%rip); movq %rdi, native_target(%rip)\n"
	"	vzeroupper\n"
	"	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups native_one(%rip), %xmm\\n\n"
	"	.endr\n"
	"	lfence; rdtsc; shlq $32, %rdx; orq %rdx, %rax; movq %rax, native_start(%rip)\n"
	"	movq native_registers+8(%rip), %rcx; movq native_registers+16(%rip), %rdx\n"
	"	movq native_registers+24(%rip), %rbx; movq native_registers+32(%rip), %rsp\n"
	"	movq native_registers+40(%rip), %rbp; movq native_registers+48(%rip), %rsi\n"
	"	movq native_registers+56(%rip), %rdi\n"
	"	.irp n, 8,9,10,11,12,13,14,15\n"
	"	movq native_registers+8*\\n(%rip), %r\\n\n"
	"	.endr\n"
	"	movq native_registers(%rip), %rax\n"
	"	lfence; jmp *native_target(%rip)\n"
	"native_end:\n"
	"	lfence; rdtsc; shlq $32, %rdx; orq %rdx, %rax; movq %rax, native_stop(%rip)\n"
	"	movq native_stack(%rip), %rsp; vzeroupper; cld\n"
	"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx; ret\n");

static sigjmp_buf failed;
static unsigned faults;
static int page_file;

/* A page that is missing is one of a few. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & -PAGE);

	(void)context;
	if (signal != SIGSEGV || info->si_code != SEGV_MAPERR || faults++ > FAULTS_MAX ||
	    mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, page_file,
		 (uintptr_t)page % (PAGES * PAGE)) != page)
		siglongjmp(failed, 1);
}

static void fail(void)
{
	perror("native");
	exit(1);
}

static void set_up(void)
{
	static char stack[1 << 16];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	uint64_t page[PAGE / 8];
	unsigned csr = 0x9fc0; /* denormals are zeros: their assists are no instruction's time */

	for (unsigned i = 0; i < PAGE / 8; i++)
		page[i] = FIRST_VALUE;
	page_file = syscall(SYS_memfd_create, "page", 0);
	for (unsigned i = 0; i < PAGES; i++)
		if (write(page_file, page, PAGE) != PAGE)
			fail();
	if (mmap(CODE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != CODE)
		fail();
	sigaltstack(&alternative, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	__asm__ volatile("ldmxcsr %0" : : "m"(csr));
	for (unsigned i = 0; i < 16; i++)
		native_registers[i] = FIRST_VALUE + i * REGISTER_STEP;
}

/* Writes the row at the given place, and the way back after it. Returns where the next may be. */
static uint8_t *lay_out(uint8_t *at, const struct row *row, unsigned copies)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* JMP [RIP] */
	const char *end = native_end;

	for (unsigned i = 0; i < copies; i++, at += row->size)
		memcpy(at, row->code, row->size);
	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &end, sizeof(end));
	at += sizeof(jump) + sizeof(end);
	return (uint8_t *)(((uintptr_t)at + 63) & -(uintptr_t)64);
}

static uint64_t least(uint64_t least_so_far, const void *code)
{
	for (unsigned run = 0; run < RUNS; run++) {
		native_run(code);
		if (native_stop - native_start < least_so_far)
			least_so_far = native_stop - native_start;
	}
	return least_so_far;
}

/* Measures the time-stamp ticks of `copies` copies: the least of many runs of twice as many,
 * less the least of `copies`. Alternates with a row of additions, so that both have ticks of one
 * time. */
static void measure(const struct row *row, unsigned copies, uint64_t *ticks, uint64_t *chain_ticks)
{
	static const uint8_t add[] = {0x48, 0x01, 0xd8};
	static const struct row chain = {add, sizeof(add), 1};
	uint8_t *one = CODE, *two, *chain_one, *chain_two;
	uint64_t best[4] = {-1, -1, -1, -1};

	two = lay_out(one, row, copies);
	chain_one = lay_out(two, row, 2 * copies);
	chain_two = lay_out(chain_one, &chain, CHAIN);
	lay_out(chain_two, &chain, 2 * CHAIN);
	for (unsigned round = 0; round < ROUNDS; round++) {
		best[0] = least(best[0], one);
		best[1] = least(best[1], two);
		best[2] = least(best[2], chain_one);
		best[3] = least(best[3], chain_two);
	}
	*ticks = best[1] - best[0];
	*chain_ticks = best[3] - best[2];
}

/* Cuts the last branch off the block. Returns false if the block is no row of instructions. */
static int cut(struct row *row)
{
	unsigned at = 0, length;
	struct insn insn;

	while (at < row->size) {
		for (length = 1; length <= 15 && at + length <= row->size; length++) {
			decode_insn(row->code + at, length, &insn);
			if (insn.bits == 64)
				break;
		}
		if (length > 15 || at + length > row->size)
			return 0;
		if (insn.branch != BRANCH_NONE)
			row->size = at;
		else
			row->insns++;
		at += length;
	}
	return row->insns > 0;
}

static void run(const char *name, struct row row)
{
	volatile unsigned copies = COPIES_MAX;
	uint64_t ticks, chain_ticks;

	if (!cut(&row))
		return;
	while (copies * row.size > BYTES_MAX || copies * row.insns > INSNS_MAX)
		copies--;
	faults = 0;
	if (sigsetjmp(failed, 1))
		return;
	measure(&row, copies, &ticks, &chain_ticks);
	printf("%s %.2f\n", name, (double)ticks / chain_ticks * CHAIN / copies);
}

/* Every symbol with a size. */
static void run_all(const char *elf)
{
	const Elf64_Ehdr *header = (const void *)elf;
	const Elf64_Shdr *sections = (const void *)(elf + header->e_shoff);

	for (unsigned s = 0; s < header->e_shnum; s++) {
		const Elf64_Sym *symbols = (const void *)(elf + sections[s].sh_offset);
		const char *names = elf + sections[sections[s].sh_link].sh_offset;

		for (unsigned i = 0; sections[s].sh_type == SHT_SYMTAB &&
				     i < sections[s].sh_size / sizeof(*symbols);
		     i++)
			if (symbols[i].st_size)
				run(names + symbols[i].st_name,
				    (struct row){(const uint8_t *)elf +
						     sections[symbols[i].st_shndx].sh_offset +
						     symbols[i].st_value,
						 symbols[i].st_size, 0});
	}
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	static char elf[1 << 20];

	if (!file || !fread(elf, 1, sizeof(elf), file)) {
		fprintf(stderr, "usage: native OBJECT\n");
		return 2;
	}
	fclose(file);
	set_up();
	run_all(elf);
	return 0;
}
