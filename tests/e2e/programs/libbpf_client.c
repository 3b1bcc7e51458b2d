/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of libbpf's: a perf buffer and a ring buffer that programs at a system call fill. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/guest/bpf/bpf_insns.h"

static unsigned samples, sum, records;

static void on_sample(void *ctx, int cpu, void *data, __u32 size)
{
	(void)ctx;
	(void)cpu;
	samples++;
	sum += size >= 8 ? *(unsigned char *)data : 0;
}

static int on_record(void *ctx, void *data, size_t size)
{
	(void)ctx;
	records += size == 16 && *(unsigned long *)data == 77;
	return 0;
}

static int load(const struct bpf_insn *insns, size_t nr)
{
	return bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "client", "GPL", insns, nr, NULL);
}

static int attach(int prog)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	char text[32] = "";
	int fd = open("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", O_RDONLY), event;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	attr.config = strtoull(text, NULL, 10);
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	return ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ? -1 : event;
}

static void with_perf_buffer(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "events", 4, 4, 16, NULL), event;
	struct perf_buffer *buffer = perf_buffer__new(map, 8, on_sample, NULL, NULL, NULL);
	struct bpf_insn insns[] = {STOREI(BPF_DW, R10, -8, 3),
				   MAP(R2, map),
				   WIDE(R3, BPF_F_CURRENT_CPU),
				   MOV(R4, R10),
				   ADDI(R4, -8),
				   MOVI(R5, 8),
				   CALL(BPF_FUNC_perf_event_output),
				   MOVI(R0, 0),
				   EXIT()};

	event = attach(load(insns, sizeof(insns) / sizeof(insns[0])));
	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	close(event);
	printf("perf buffer: %d ready, ", buffer ? perf_buffer__poll(buffer, 100) : -1);
	printf("%u samples, sum %u\n", samples, sum);
	perf_buffer__free(buffer);
}

static void with_ring_buffer(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, 4096, NULL), event;
	struct ring_buffer *ring = ring_buffer__new(map, on_record, NULL, NULL);
	struct bpf_insn insns[] = {MAP(R1, map),
				   MOVI(R2, 16),
				   MOVI(R3, 0),
				   CALL(BPF_FUNC_ringbuf_reserve),
				   JUMPI(BPF_JEQ, R0, 0, 5),
				   STOREI(BPF_DW, R0, 0, 77),
				   STOREI(BPF_DW, R0, 8, 78),
				   MOV(R1, R0),
				   MOVI(R2, 0),
				   CALL(BPF_FUNC_ringbuf_submit),
				   MOVI(R0, 0),
				   EXIT()};
	int consumed = 0;

	event = attach(load(insns, sizeof(insns) / sizeof(insns[0])));
	for (int round = 0; round < 30; round++) {
		for (int i = 0; i < 10; i++)
			syscall(SYS_getppid);
		consumed += ring ? ring_buffer__poll(ring, 100) : 0;
	}
	close(event);
	printf("ring buffer: %d polled, %u records\n", consumed, records);
	ring_buffer__free(ring);
}

int main(void)
{
	if (access("/sys/kernel/tracing/events", F_OK))
		mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	with_perf_buffer();
	with_ring_buffer();
	return 0;
}
