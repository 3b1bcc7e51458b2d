/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/ring0: code that may do what the kernel may, and whose mistakes end only itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi/ring0.h"
#include "tests/guest/tap.h"

#define AREA 65536
#define CODE 0x1234

static int device;
static uint8_t *area; /* code at its start, a stack at its end */

static int call_at(struct ring0_call *call, uint64_t code, uint64_t argument)
{
	*call =
	    (struct ring0_call){.code = code, .argument = argument, .stack = (uint64_t)area + AREA};
	return ioctl(device, RING0_CALL, call);
}

static struct ring0_call run(const void *code, size_t bytes, uint64_t argument)
{
	struct ring0_call call;

	memcpy(area, code, bytes);
	if (call_at(&call, (uint64_t)area, argument))
		call.ended = RING0_RETURNED - 1;
	return call;
}

#define RUN(argument, ...) \
	run((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), argument)

static void returns(void)
{
	struct ring0_call call = RUN(41, 0x48, 0x8d, 0x47, 1, 0xc3); /* lea rax, [rdi + 1]; ret */
	uint64_t cell = 5;

	is(call.ended, RING0_RETURNED, "code in ring 0 returns");
	is((long)call.value, 42, "code in ring 0 returns its value");
	call = RUN(0, 0x8c, 0xc8, 0xc3); /* mov eax, cs */
	is((long)(call.value & 3), 0, "the code ran in ring 0");
	call = RUN((uint64_t)&cell, 0x48, 0xff, 0x07, 0xc3); /* inc qword [rdi] */
	is(call.ended == RING0_RETURNED ? (long)cell : -1, 6,
	   "code in ring 0 writes the program's memory");
	call = RUN(0, 0x9c, 0x58, 0xc3); /* pushf; pop rax */
	is((long)(call.value >> 9 & 1), 0, "interrupts are masked");
	call = RUN(0x10, 0x89, 0xf9, 0x0f, 0x32, 0xc3); /* mov ecx, edi; rdmsr */
	is(call.ended, RING0_RETURNED, "RDMSR");
	call = RUN(0, 0x0f, 0x09, 0xc3);
	is(call.ended, RING0_RETURNED, "WBINVD");
	call = RUN((uint64_t)&cell, 0x0f, 0x01, 0x3f, 0xc3);
	is(call.ended, RING0_RETURNED, "INVLPG");
	call = RUN(0, 0x0f, 0x20, 0xd8, 0x0f, 0x22, 0xd8, 0xc3); /* mov rax, cr3; mov cr3, rax */
	is(call.ended, RING0_RETURNED, "CR3 written");
}

/* Each ends with its vector at its instruction. */
static void ends(void)
{
	static const struct {
		const char *name;
		unsigned vector, offset, bytes;
		uint8_t code[24];
	} all[] = {
	    {"a division by 0", 0, 4, 6, {0x31, 0xc9, 0x31, 0xd2, 0xf7, 0xf1}},
	    {"INT3, after it", 3, 1, 1, {0xcc}},
	    {"UD2", 6, 1, 3, {0x90, 0x0f, 0x0b}},
	    {"a selector that is none", 13, 4, 6, {0x66, 0xb8, 0xf8, 0xff, 0x8e, 0xd8}},
	    {"an address that is not canonical",
	     13,
	     10,
	     13,
	     {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x48, 0x8b, 0x00}},
	    {"a page that is not there", 14, 3, 6, {0x48, 0x31, 0xc0, 0x48, 0x8b, 0x00}},
	    {"a stack that is not there", 8, 3, 4, {0x48, 0x31, 0xe4, 0x50}},
	    {"an interrupt by INT 80", 0x80, 2, 2, {0xcd, 0x80}},
	    {"an NMI by INT 2", 2, 2, 2, {0xcd, 0x02}},
	    {"UD2 after SWAPGS", 6, 3, 5, {0x0f, 0x01, 0xf8, 0x0f, 0x0b}},
	    {"UD2 after STI", 6, 2, 4, {0xfb, 0x90, 0x0f, 0x0b}},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct ring0_call call = run(all[i].code, all[i].bytes, 0);
		bool fault = all[i].vector == 8; /* a page fault that could not be delivered */

		ok(call.ended == all[i].vector || (fault && call.ended == 14),
		   "%s ends it by its vector", all[i].name);
		if (!ok(call.rip == (uint64_t)area + all[i].offset,
			"a trial ends at the faulting instruction"))
			printf("# vector %u at +%ld\n", call.ended,
			       (long)(call.rip - (uint64_t)area));
	}
}

static void tells(void)
{
	/* mov r15, rdi; mov rbx, rdi; xor eax, eax; mov rax, [rax + 64] */
	struct ring0_call call =
	    RUN(CODE, 0x49, 0x89, 0xff, 0x48, 0x89, 0xfb, 0x31, 0xc0, 0x48, 0x8b, 0x40, 0x40);

	is((long)call.registers[15], CODE, "registers of that moment: R15");
	is((long)call.registers[RING0_RBX], CODE, "RBX");
	is((long)call.registers[RING0_RSP], (long)((uint64_t)area + AREA - 8), "RSP");
	is((long)call.cr2, 64, "the address of a page fault");
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

/* Processor state that the code changed is restored. */
static void puts_right(void)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 2000}};
	struct timeval begin, now;
	struct ring0_call call;
	void *low;

	/* mov rax, cr0; and eax, ~WP; mov cr0, rax; ret, then: mov rax, cr0; ret */
	call = RUN(0, 0x0f, 0x20, 0xc0, 0x25, 0xff, 0xff, 0xfe, 0xff, 0x0f, 0x22, 0xc0, 0xc3);
	is(call.ended, RING0_RETURNED, "write protection goes off");
	call = RUN(0, 0x0f, 0x20, 0xc0, 0xc3);
	is((long)(call.value >> 16 & 1), 1, "CR0.WP is set again");
	/* mov rax, cr4; or eax, 4; mov cr4, rax; ud2 */
	call = RUN(0, 0x0f, 0x20, 0xe0, 0x83, 0xc8, 4, 0x0f, 0x22, 0xe0, 0x0f, 0x0b);
	is(call.ended, 6, "CR4.TSD is set, and UD2");
	__builtin_ia32_rdtsc();
	ok(true, "ring 3 may read the TSC again");
	/* swapgs; ret; and: mov ecx, 0xc0000100; xor eax, eax; xor edx, edx; wrmsr; ret */
	call = RUN(0, 0x0f, 0x01, 0xf8, 0xc3);
	is(call.ended, RING0_RETURNED, "SWAPGS alone");
	call = RUN(0, 0xb9, 0, 1, 0, 0xc0, 0x31, 0xc0, 0x31, 0xd2, 0x0f, 0x30, 0xc3);
	errno = EILSEQ;
	is(call.ended == RING0_RETURNED ? errno : -1, EILSEQ, "FS is the program's again");
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(low != MAP_FAILED && !munmap(low, 4096), "the kernel goes on");

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	/* mov ecx, 10000000; dec ecx; jnz -4; ret: 20 ms and more */
	call = RUN(0, 0xb9, 0x80, 0x96, 0x98, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3);
	is(call.ended, RING0_RETURNED, "a timer ends while ring 0 runs, which does not see it");
	gettimeofday(&begin, NULL);
	do
		gettimeofday(&now, NULL);
	while (!alarms && now.tv_sec < begin.tv_sec + 2);
	is(alarms, 1, "an interrupt's signal comes afterwards");
}

static void refuses(void)
{
	struct ring0_call call;
	int status = -1;

	is(call_at(&call, 1ul << 63, 0) ? errno : 0, EINVAL, "code in the kernel's half");
	is(call_at(&call, (uint64_t)area, 1ul << 63) ? errno : 0, EINVAL, "an argument there");
	call = (struct ring0_call){.code = (uint64_t)area, .stack = (uint64_t)area + AREA - 8};
	is(ioctl(device, RING0_CALL, &call) ? errno : 0, EINVAL, "a stack that is not aligned");
	is(ioctl(device, RING0_CALL, 8) ? errno : 0, EFAULT, "no call at the address");
	is(ioctl(device, RING0_CALL + 1, &call) ? errno : 0, ENOTTY, "another command");
	if (!fork()) {
		if (setuid(1000))
			_exit(1);
		if (call_at(&call, (uint64_t)area, 0) != -1 || errno != EPERM)
			_exit(2);
		_exit(open("/dev/ring0", O_RDWR) != -1 || errno != EACCES ? 3 : 0);
	}
	wait(&status);
	is(status, 0, "an ordinary user has neither the device nor, with its descriptor, the call");
}

int main(void)
{
	device = open("/dev/ring0", O_RDWR);
	if (device < 0 && errno == ENOENT)
		return tap_skip_all("this kernel calls nobody's code in ring 0");
	ok(device >= 0, "root opens /dev/ring0");
	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	returns();
	ends();
	tells();
	puts_right();
	refuses();
	return tap_end();
}
