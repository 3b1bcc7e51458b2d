/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts events over work that causes each event of a core: cold and crowded caches and TLBs,
 * branches without a pattern, divisions, floating point, lines of another processor. Reads
 * lines "NAME CONFIG CONFIG1" (hexadecimal) and prints "NAME COUNT" or "NAME error TEXT".
 */
#include <cpuid.h>
#include <errno.h>
#include <immintrin.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	LINE = 64,
	CODE_PAGES = 400,  /* more than a first-level TLB has */
	CODE_LINES = 5,    /* of each, which together are more than L1I */
	DATA_PAGES = 4608, /* more than a second-level TLB has */
	AREA = 3 << 20,    /* more than L2, less than the last level */
	SHARED = 64,
	ROUNDS = 100,
	BATCH = 8, /* events at a time, as far as there are counters */
};

static uint8_t *code, *area, *pages;
static volatile uint64_t sink;
static uint64_t seed = 1;

static uint64_t random_word(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

/* ---- code ---- */

/* Fills new pages with jumps from line to line and a return, at addresses that no predictor knows.
 */
static void renew_code(void)
{
	static uintptr_t hint = 0x200000000000;

	if (code)
		munmap(code, CODE_PAGES * PAGE);
	hint += 2 * CODE_PAGES * PAGE;
	code = mmap((void *)hint, CODE_PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < CODE_PAGES; i++) {
		uint8_t *at = code + i * PAGE + i % (PAGE / LINE - CODE_LINES) * LINE;
		int32_t distance = LINE - 5;

		for (unsigned line = 0; line + 1 < CODE_LINES; line++, at += LINE) {
			*at = 0xe9;
			memcpy(at + 1, &distance, sizeof(distance));
		}
		*at = 0xc3;
	}
}

/* Also stores to code that has just run. */
static void call_code(void)
{
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < CODE_PAGES; i++) {
			uint8_t *at = code + i * PAGE + i % (PAGE / LINE - CODE_LINES) * LINE;

			((void (*)(void))at)();
			if (!i)
				*(volatile uint8_t *)at = *at;
		}
}

/* ---- branches ---- */

static __attribute__((noinline)) void one(void)
{
	sink += 1;
}

static __attribute__((noinline)) void two(void)
{
	sink += 2;
}

static __attribute__((noinline)) unsigned deep(unsigned levels)
{
	return levels ? deep(levels - 1) + (unsigned)sink : 0;
}

/* Jumps to one of three NOPs of 8 bytes. */
static void jump_randomly(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		__asm__ volatile("lea 1f(%%rip), %%rax\n lea (%%rax,%0,8), %%rax\n jmp *%%rax\n"
				 "1: .rept 3\n .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n .endr" ::"r"(
				     random_word() % 3)
				 : "rax");
}

static void branch(void)
{
	static void (*const functions[])(void) = {one, two};

	for (unsigned i = 0; i < ROUNDS; i++) {
		if (random_word() & 1)
			__asm__ volatile("nop");
		functions[random_word() & 1]();
	}
	jump_randomly();
	sink += deep(200);
	for (unsigned i = 0; i < 20; i++)
		syscall(SYS_getppid);
}

/* ---- memory ---- */

static void flush(const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i += LINE)
		_mm_clflush(from + i);
	_mm_mfence();
}

/* Loads and stores of all lines of the area, in an order that no prefetcher knows. */
static void crowd_caches(void)
{
	for (unsigned i = 0; i < AREA / LINE; i++) {
		uint8_t *at = area + (i * 40503u % (AREA / LINE)) * LINE;

		if (i & 1)
			sink += *(volatile uint8_t *)at;
		else
			*(volatile uint8_t *)at = 1;
	}
}

static void crowd_tlbs(void)
{
	for (unsigned i = 0; i < DATA_PAGES; i++)
		sink += *(volatile uint8_t *)(pages + (i * 2741u % DATA_PAGES) * PAGE);
	for (unsigned i = 0; i < DATA_PAGES; i++)
		*(volatile uint8_t *)(pages + (i * 2741u % DATA_PAGES) * PAGE) = 1;
	for (unsigned round = 0; round < 2; round++) /* found in the second level */
		for (unsigned i = 0; i < 200; i++) {
			volatile uint8_t *at = pages + i * PAGE + i % 64 * LINE;

			*at = (uint8_t)(*at + 1);
		}
}

static void miss(void)
{
	flush(area, 64 * 1024);
	for (unsigned i = 0; i < 32 * 1024; i += LINE) { /* a stream, each line twice */
		sink += *(volatile uint8_t *)(area + i);
		sink += *(volatile uint8_t *)(area + i + 8);
	}
	for (unsigned i = 32 * 1024; i < 64 * 1024; i += LINE)
		*(volatile uint8_t *)(area + i) = 1;
	for (unsigned i = 0; i < 20; i++) { /* stores that wait for a buffer */
		flush(area + i * PAGE, LINE);
		for (unsigned j = 0; j < 80; j++)
			*(volatile uint8_t *)(area + (i + j) * PAGE) = 1;
	}
}

static void misalign(void)
{
	static uint8_t bytes[4 * LINE] __attribute__((aligned(LINE)));

	for (unsigned i = 0; i < ROUNDS; i++) {
		*(volatile uint64_t *)(bytes + LINE - 3) += 1;  /* over two lines */
		*(volatile uint64_t *)(bytes + LINE + 17) += 1; /* within one */
		*(volatile uint8_t *)(bytes + 2 * LINE) = 1;    /* a load larger than the store */
		sink += *(volatile uint64_t *)(bytes + 2 * LINE);
		*(volatile uint64_t *)(bytes + 3 * LINE) = i; /* forwarded */
		sink += *(volatile uint64_t *)(bytes + 3 * LINE);
		__atomic_fetch_add((uint64_t *)(bytes + 3 * LINE + 8), 1, __ATOMIC_SEQ_CST);
	}
}

/* A chain of multiplications fills the scheduler, NOPs after a miss the reorder buffer. */
static void fill_buffers(void)
{
	for (unsigned i = 0; i < 20; i++) {
		uint64_t value = i;

		flush(area + i * LINE, LINE);
		value += *(volatile uint8_t *)(area + i * LINE);
		__asm__ volatile(".rept 150\n imul %0, %0\n .endr" : "+r"(value));
		sink += value;
		flush(area + i * LINE, LINE);
		sink += *(volatile uint8_t *)(area + i * LINE);
		__asm__ volatile(".rept 700\n nop\n .endr");
	}
}

/* ---- arithmetic ---- */

static __attribute__((target("avx"))) void compute_256(void)
{
	__asm__ volatile("vaddps %%ymm0, %%ymm1, %%ymm2\n vmulpd %%ymm0, %%ymm1, %%ymm2\n"
			 "vdivps %%ymm0, %%ymm1, %%ymm2\n vzeroupper" ::
			     : "xmm0", "xmm1", "xmm2");
}

static __attribute__((target("fma"))) void multiply_add(void)
{
	__asm__ volatile("vfmadd231pd %%ymm0, %%ymm1, %%ymm2\n vfmadd231ps %%ymm0, %%ymm1, %%ymm2\n"
			 "vzeroupper" ::
			     : "xmm0", "xmm1", "xmm2");
}

static void compute(void)
{
	bool avx = __builtin_cpu_supports("avx"), fma = __builtin_cpu_supports("fma");

	for (unsigned i = 1; i < ROUNDS; i++) {
		uint64_t high = 0, low = 1000 + i;

		__asm__ volatile("div %2" : "+a"(low), "+d"(high) : "r"((uint64_t)i));
		__asm__ volatile(
		    "addss %%xmm0, %%xmm1\n mulsd %%xmm0, %%xmm1\n addps %%xmm0, %%xmm1\n"
		    "mulpd %%xmm0, %%xmm1\n divsd %%xmm0, %%xmm1\n subss %%xmm0, %%xmm1\n"
		    "movdqa %%xmm0, %%xmm1\n paddd %%xmm0, %%xmm1" ::
			: "xmm0", "xmm1");
		/* A product that is denormal. */
		__asm__ volatile("movaps %0, %%xmm0\n mulsd %1, %%xmm0" ::"x"(0x1p-1000),
				 "x"(0x1p-50)
				 : "xmm0");
		__asm__ volatile("fld1\n fldpi\n faddp\n fstp %%st(0)" ::: "st");
		if (avx)
			compute_256();
		if (fma)
			multiply_add();
	}
	__asm__ volatile("emms");
	__asm__ volatile("rep movsb" : : "D"(area), "S"(area + PAGE), "c"(PAGE / 2) : "memory");
}

/* ---- another processor ---- */

static uint8_t shared[SHARED * LINE] __attribute__((aligned(LINE)));
static volatile unsigned asked, answered;
static bool alone;

static void *change_lines(void *argument)
{
	for (unsigned n = 1;; n++) {
		while (asked != n)
			_mm_pause();
		for (unsigned i = 0; i < SHARED; i++)
			*(volatile uint8_t *)(shared + i * LINE) = (uint8_t)n;
		answered = n;
	}
	return argument;
}

static void share(void)
{
	if (alone)
		return;
	asked = answered + 1;
	while (answered != asked)
		_mm_pause();
	for (unsigned i = 0; i < SHARED / 2; i++)
		sink += *(volatile uint8_t *)(shared + i * LINE);
	for (unsigned i = SHARED / 2; i < SHARED; i++)
		*(volatile uint8_t *)(shared + i * LINE) = 1;
}

/* ---- counting ---- */

static void work(void)
{
	call_code();
	branch();
	crowd_caches();
	crowd_tlbs();
	miss();
	misalign();
	fill_buffers();
	compute();
	share();
}

struct counted {
	char name[128];
	uint64_t config, config1, count;
	int fd, error;
	bool done;
};

/* Pinned: an event that gets no counter says so, and the others keep theirs. */
static void begin(struct counted *c)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_RAW,
				       .config = c->config,
				       .config1 = c->config1,
				       .pinned = 1,
				       .exclude_kernel = 1};

	c->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	c->error = c->fd < 0 ? errno : 0;
	c->done = c->error;
}

static void end(struct counted *c)
{
	if (c->fd < 0)
		return;
	c->done = read(c->fd, &c->count, sizeof(c->count)) == sizeof(c->count);
	close(c->fd);
}

static void print(const struct counted *c)
{
	if (c->error)
		printf("%s error %s\n", c->name, strerror(c->error));
	else
		printf("%s %lu\n", c->name, (unsigned long)c->count);
}

/* Counts the events together, prints what had a counter, and moves the rest to the front. Returns
 * how many that are. */
static unsigned count_batch(struct counted *batch, unsigned nr)
{
	unsigned left = 0;

	renew_code();
	for (unsigned i = 0; i < nr; i++)
		begin(&batch[i]);
	work();
	for (unsigned i = 0; i < nr; i++)
		end(&batch[i]);
	for (unsigned i = 0; i < nr; i++)
		if (batch[i].done)
			print(&batch[i]);
		else
			batch[left++] = batch[i];
	if (left == nr) { /* it gets none even first: nothing else can be said */
		batch[0].error = EBUSY;
		print(&batch[0]);
		memmove(batch, batch + 1, --left * sizeof(*batch));
	}
	return left;
}

static bool read_line(struct counted *c)
{
	return scanf("%127s %lx %lx", c->name, &c->config, &c->config1) == 3;
}

int main(void)
{
	static struct counted batch[BATCH];
	unsigned nr = 0;
	bool more = true;
	pthread_t other;

	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pages = mmap(NULL, DATA_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	memset(area, 1, AREA);
	for (unsigned i = 0; i < DATA_PAGES; i++)
		pages[i * PAGE] = 1;
	alone = sysconf(_SC_NPROCESSORS_ONLN) < 2;
	if (!alone && pthread_create(&other, NULL, change_lines, NULL))
		return 1;
	while (more || nr) {
		while (more && nr < BATCH && (more = read_line(&batch[nr])))
			nr++;
		if (nr)
			nr = count_batch(batch, nr);
	}
	return 0;
}
