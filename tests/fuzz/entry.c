/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMIs on every instruction of the ways into the kernel and out of it: with periods that are prime,
 * samples of a loop of calls fall on each of its instructions. The registers that a call keeps stay
 * what they were, and samples name no other addresses.
 */
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <sys/ioctl.h>

#define CALLS      30000
#define RING_PAGES 64
#define ADDRESSES  4096

static uint64_t seen[ADDRESSES];
static unsigned nr_seen;

static void see(uint64_t ip)
{
	for (unsigned i = 0; i < nr_seen; i++)
		if (seen[i] == ip)
			return;
	if (nr_seen < ADDRESSES)
		seen[nr_seen++] = ip;
}

/* Samples of the ring: their addresses. Returns how many. */
static long drain(struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + PAGE;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
	long samples = 0;

	while (at < head) {
		struct perf_event_header header;
		uint64_t ip;

		memcpy(&header, data + at % (RING_PAGES * PAGE), sizeof(header));
		memcpy(&ip, data + (at + sizeof(header)) % (RING_PAGES * PAGE), sizeof(ip));
		if (header.type == PERF_RECORD_SAMPLE) {
			see(ip);
			samples++;
		}
		at += header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return samples;
}

/* getppid() with known values in the registers that it keeps: how many came back changed. */
static long changed_registers(void)
{
	register uint64_t r8 __asm__("r8") = 8, r9 __asm__("r9") = 9, r10 __asm__("r10") = 10;
	register uint64_t r12 __asm__("r12") = 12, r13 __asm__("r13") = 13, r14 __asm__("r14") = 14,
			      r15 __asm__("r15") = 15;
	uint64_t rbx = 1, rsi = 4, rdi = 5, rdx = 3, rax = SYS_getppid;

	__asm__ volatile("syscall"
			 : "+a"(rax), "+b"(rbx), "+d"(rdx), "+S"(rsi), "+D"(rdi), "+r"(r8),
			   "+r"(r9), "+r"(r10), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15)
			 :
			 : "rcx", "r11", "memory");
	return (rbx != 1) + (rdx != 3) + (rsi != 4) + (rdi != 5) + (r8 != 8) + (r9 != 9) +
	       (r10 != 10) + (r12 != 12) + (r13 != 13) + (r14 != 14) + (r15 != 15);
}

static long sweep(uint64_t period, long *samples)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .sample_type = PERF_SAMPLE_IP,
				       .sample_period = period,
				       .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct perf_event_mmap_page *page;
	long changed = 0;

	if (fd < 0)
		return -1;
	page = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < CALLS; i++)
		changed += changed_registers();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	*samples += drain(page);
	munmap(page, (RING_PAGES + 1) * PAGE);
	close(fd);
	return changed;
}

/* Returns how many of the addresses are in the kernel function; *first: its first instruction's
 * is one of them. */
static unsigned in_function(const char *function, bool *first)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	unsigned long address, start = 0, end = 0;
	char name[128];
	unsigned count = 0;

	while (symbols && fscanf(symbols, "%lx %*s %127s%*[^\n]", &address, name) == 2) {
		if (start && address > start) {
			end = address;
			break;
		}
		if (strcmp(name, function) == 0)
			start = address;
	}
	if (symbols)
		fclose(symbols);
	*first = false;
	for (unsigned i = 0; i < nr_seen; i++) {
		count += start && seen[i] >= start && seen[i] < end;
		*first = *first || (start && seen[i] == start);
	}
	return count;
}

int main(void)
{
	/* Long enough that the kernel is not busy with samples for too much of the time. */
	static const uint64_t periods[] = {9973, 10007, 10009};
	long changed = 0, samples = 0;
	unsigned strange = 0, entry;
	bool first;

	for (unsigned i = 0; i < COUNT(periods); i++)
		changed += sweep(periods[i], &samples);
	if (!samples) {
		is(changed, -(long)COUNT(periods), "there is no PMU");
		return tap_end();
	}
	is(changed, 0, "registers are kept");
	ok(samples > 300, "%ld samples, of %u instructions", samples, nr_seen);
	for (unsigned i = 0; i < nr_seen; i++)
		strange += seen[i] >= USER_LAST && seen[i] < KERNEL;
	is((long)strange, 0, "each address is in the program or in the kernel");
	entry = in_function("syscall_entry", &first);
	if (entry) {
		ok(first, "the first instruction of the entry was interrupted");
		ok(entry > 20, "samples of the entry: %u", entry - 1);
	}
	return tap_end();
}
