/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code whose cost is known on Skylake, run by QEMU: prints "NAME CYCLES COUNT" of a round for
 * tests/e2e/core/core_traits.t, where COUNT is of the row's event.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 20000, FEW = 500, KIB4 = 4096 };
enum {
	LOADS = 0x81d0,
	STORES = 0x82d0,
	BLOCKED = 0x0203,
	ALIASED = 0x0107,
	CLEARS = 0x04c3,
	ASSISTS = 0x1001eca
};

static char memory[8 * KIB4] __attribute__((aligned(KIB4)));
static unsigned char *code;

static int open_event(uint32_t type, uint64_t config, int group)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = type,
				       .config = config,
				       .exclude_kernel = 1,
				       .disabled = group < 0,
				       .read_format = PERF_FORMAT_GROUP};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

#define ROW(name, text)                                                                           \
	static void name(void)                                                                    \
	{                                                                                         \
		__asm__ volatile("mov %0, %%ecx; .balign 16; 1: " text "; dec %%ecx; jnz 1b"      \
				 :                                                                \
				 : "i"(ROUNDS), "D"(memory), "S"(memory + 2 * KIB4)               \
				 : "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "xmm2", "memory"); \
	}

ROW(popcnt, "popcnt %%rbx, %%rax")
ROW(same_move, "mov %%eax, %%eax")
ROW(wide_load, "mov %%rax, (%%rdi); mov %%rdx, 8(%%rdi); movdqu (%%rdi), %%xmm0")
ROW(two_counters, "addl $1, (%%rdi); addl $1, 4(%%rdi)")
ROW(aliased, "mov %%eax, (%%rdi); mov (%%rsi), %%ebx")
ROW(dirty, "movaps %%xmm1, %%xmm0; addps %%xmm2, %%xmm0")
ROW(gather, "vpcmpeqd %%ymm1, %%ymm1, %%ymm1; vpxor %%ymm0, %%ymm0, %%ymm0; "
	    "vpxor %%ymm2, %%ymm2, %%ymm2; "
	    "vpgatherdd %%ymm1, (%%rdi,%%ymm2,4), %%ymm0")

static void loop(void)
{
	__asm__ volatile("mov %0, %%ecx; 1: loop 1b" : : "i"(ROUNDS) : "rcx");
}

static void moves_down(void)
{
	for (unsigned i = 0; i < FEW / 10; i++) {
		const char *from = memory + 4 * KIB4 - 1;
		char *to = memory + 2 * KIB4 - 1;
		unsigned long count = KIB4;

		__asm__ volatile("std; rep movsb; cld"
				 : "+D"(to), "+S"(from), "+c"(count)
				 :
				 : "memory");
	}
}

/* `times` in a loop by an instruction of doubles. */
#define DOUBLES(name, op, number, times)                                    \
	static void name(void)                                              \
	{                                                                   \
		__asm__ volatile("mov %0, %%ecx; 1: movaps %1, %%xmm0; " op \
				 " %2, %%xmm0; dec %%ecx; jnz 1b"           \
				 :                                          \
				 : "i"(FEW), "x"(number), "x"(times)        \
				 : "rcx", "xmm0");                          \
	}

DOUBLES(denormal_result, "mulsd", 0x1p-1000, 0x1p-50)
DOUBLES(denormal_source, "mulsd", 0x1p-1050, 0x1p100)
DOUBLES(denormal_none, "mulsd", 0x1p-1000, 0x1p-20)
DOUBLES(denormal_sum, "addsd", 0x1p-1050, 0x1p-1051)

/* A denormal factor in memory, in the upper half of an operand. */
static void denormal_memory(void)
{
	static double factors[2] __attribute__((aligned(16))) = {0x1p100, 0x1p-1050};

	for (unsigned i = 0; i < FEW; i++)
		__asm__ volatile("movaps %1, %%xmm0; mulpd %0, %%xmm0" ::"m"(factors), "x"(0x1p100)
				 : "xmm0");
}

/* DAZ: denormal numbers are zero. */
static void denormal_zero(void)
{
	unsigned before = __builtin_ia32_stmxcsr();

	__builtin_ia32_ldmxcsr(before | 0x8040); /* FTZ, DAZ */
	denormal_source();
	denormal_result();
	__builtin_ia32_ldmxcsr(before);
}

static void stores_none(void)
{
	for (unsigned i = 0; i < FEW; i++)
		__asm__ volatile("rep stosb" : : "D"(memory), "c"(0), "a"(0) : "memory");
}

static void modifies(void)
{
	for (unsigned i = 0; i < FEW; i++) {
		*(volatile unsigned *)(void *)(code + 1) = i;
		((void (*)(void))(uintptr_t)code)();
	}
}

static const struct row {
	const char *name;
	void (*run)(void);
	unsigned rounds;
	uint64_t event;
} rows[] = {
    {"popcnt", popcnt, ROUNDS, LOADS},
    {"same_move", same_move, ROUNDS, LOADS},
    {"wide_load", wide_load, ROUNDS, BLOCKED},
    {"two_counters", two_counters, ROUNDS, BLOCKED},
    {"aliased", aliased, ROUNDS, ALIASED},
    {"clean", dirty, ROUNDS, LOADS},
    {"gather", gather, ROUNDS, LOADS},
    {"dirty", dirty, ROUNDS, LOADS},
    {"loop", loop, ROUNDS, LOADS},
    {"moves_down", moves_down, FEW / 10, STORES},
    {"stores_none", stores_none, FEW, STORES},
    {"modifies", modifies, FEW, CLEARS},
    {"denormal_result", denormal_result, FEW, ASSISTS},
    {"denormal_source", denormal_source, FEW, ASSISTS},
    {"denormal_memory", denormal_memory, FEW, ASSISTS},
    {"denormal_sum", denormal_sum, FEW, ASSISTS},
    {"denormal_none", denormal_none, FEW, ASSISTS},
    {"denormal_zero", denormal_zero, FEW, ASSISTS},
};

static void measure(const struct row *row)
{
	int cycles = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1),
	    event = open_event(PERF_TYPE_RAW, row->event, cycles);
	uint64_t values[3] = {0};

	for (unsigned i = 0; i < 2; i++) {
		ioctl(cycles, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		ioctl(cycles, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		row->run();
		ioctl(cycles, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	}
	if (event < 0 || read(cycles, values, sizeof(values)) != sizeof(values))
		return;
	printf("%s %.2f %.2f\n", row->name, (double)values[1] / row->rounds,
	       (double)values[2] / row->rounds);
	close(event);
	close(cycles);
}

int main(void)
{
	code = mmap(NULL, KIB4, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, "\xb8\1\0\0\0\xc3", 6); /* MOV EAX, 1; RET */
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		measure(&rows[i]);
	return 0;
}
