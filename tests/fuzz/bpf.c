/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile programs of BPF: random instructions that pass the check of structure do random things
 * with pointers, maps and helpers, at each call and at samples. The kernel lives, and maps that a
 * program was not given stay what they were. (Linux's verifier refuses nearly all of them; there
 * the test asks little.) Programs may signal who runs them: each batch is a process of its own.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include "tests/fuzz/fuzz.h"
#include "tests/guest/bpf/bpf_sys.h"
#include "tests/guest/number_in_file.h"

#define ROUNDS  100 /* of a batch */
#define BATCHES 40
#define LONGEST 40

static const struct {
	uint32_t type, key, value, entries, flags;
} kinds[] = {
    {BPF_MAP_TYPE_ARRAY, 4, 64, 4, 0},
    {BPF_MAP_TYPE_HASH, 8, 8, 16, 0},
    {BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0},
    {BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 4, 0},
    {BPF_MAP_TYPE_STACK_TRACE, 4, 64, 16, 0},
    {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0},
    {BPF_MAP_TYPE_LRU_HASH, 4, 12, 3, 0},
    {BPF_MAP_TYPE_PERCPU_ARRAY, 4, 1, 2, 0},
    {BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 4, 0},
    {BPF_MAP_TYPE_LRU_PERCPU_HASH, 4, 8, 3, 0},
    {BPF_MAP_TYPE_ARRAY, 4, 8, 8, BPF_F_MMAPABLE},
    {BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 2, 0},
    {BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 2, 0},
};

static int maps[COUNT(kinds)], canary;
static struct {
	unsigned rounds, loaded, ran;
} * counts; /* of all processes */

/* Elements of maps of maps are like the first map, and one is it. */
static int make_map(unsigned i)
{
	const uint32_t key = 0;
	int fd = (int)map_create_of(kinds[i].type, kinds[i].key, kinds[i].value, kinds[i].entries,
				    kinds[i].flags, maps[0]);

	if (kinds[i].type == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
	    kinds[i].type == BPF_MAP_TYPE_HASH_OF_MAPS)
		map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &maps[0], BPF_ANY);
	return fd;
}

/* Mostly instructions that there are, with arguments that are often good. */
static struct bpf_insn random_insn(unsigned at, unsigned nr)
{
	static const int values[] = {0, 1, 4, 8, 16, -4, -8, -512, 512, 4096, -1, 0x7fffffff};
	static const uint8_t calls[] = {1,   2,   3,   4,   5,   6,   7,   8,   12,  14,  15,  16,
					22,  25,  27,  35,  42,  45,  55,  56,  67,  80,  109, 112,
					113, 114, 115, 117, 118, 119, 120, 130, 131, 132, 133, 134,
					158, 164, 165, 173, 174, 177, 181, 182, 195};
	static const uint8_t codes[] = {0x07, 0x0f, 0xb7, 0xbf, 0xb4, 0x17, 0x1f, 0x57,
					0x67, 0x77, 0x61, 0x69, 0x71, 0x79, 0x62, 0x6a,
					0x72, 0x7a, 0x63, 0x7b, 0xdb, 0xc3, 0x15, 0x1d,
					0x25, 0x55, 0x05, 0x87, 0xdc, 0xd4, 0x3f, 0x9f};
	struct bpf_insn insn = {.code = PICK(codes),
				.dst_reg = random_below(11) & 15,
				.src_reg = random_below(11) & 15,
				.off = (int16_t)PICK(values),
				.imm = PICK(values)};
	unsigned class = insn.code & 7;

	if (random_below(4) == 0)
		return (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = PICK(calls)};
	if (random_below(100) == 0)
		insn.code = (uint8_t)random_u64();
	if (class == BPF_JMP)
		insn.off = (int16_t)((int)random_below(nr) - (int)at - 1);
	if (class == BPF_ALU || class == BPF_ALU64)
		insn.off = 0;
	if (class == BPF_LDX || (class == BPF_STX && (insn.code & 0xe0) != BPF_ATOMIC) ||
	    insn.code & BPF_X)
		insn.imm = (insn.code & 0xe7) == (BPF_STX | BPF_ATOMIC) ? 0
			   : class == BPF_ALU                           ? 16
									: 0;
	if (class == BPF_ST || (class != BPF_LDX && class != BPF_STX && !(insn.code & BPF_X)))
		insn.src_reg = 0;
	return insn;
}

/* Pointers that there are go into registers first: maps, the stack, numbers like addresses. */
static unsigned prologue(struct bpf_insn *insns)
{
	static const uint64_t addresses[] = {KERNEL,
					     KERNEL_MAP,
					     0xffffc90000000000,
					     0xffffd00000000000,
					     0xbf0b000000000000,
					     0xbf0b001000000000,
					     0xbf0b001100000ff8,
					     0xbf0b000200000000,
					     0xbf0b0000000001f8,
					     0xbf0bffff00000000,
					     0xbf0b020000000003,
					     8,
					     USER_LAST};
	unsigned nr = 0;

	for (unsigned reg = 1; reg < 10; reg++) {
		uint64_t address = PICK(addresses);

		if (random_below(2)) {
			insns[nr++] = (struct bpf_insn){.code = 0x18,
							.dst_reg = reg & 15,
							.src_reg = BPF_PSEUDO_MAP_FD,
							.imm = PICK(maps)};
			insns[nr++] = (struct bpf_insn){0};
		} else if (random_below(2)) {
			insns[nr++] = (struct bpf_insn){
			    .code = 0x18, .dst_reg = reg & 15, .imm = (int)address};
			insns[nr++] = (struct bpf_insn){.imm = (int)(address >> 32)};
		} else {
			insns[nr++] =
			    (struct bpf_insn){.code = 0xbf, .dst_reg = reg & 15, .src_reg = 10};
			insns[nr++] = (struct bpf_insn){
			    .code = 0x07, .dst_reg = reg & 15, .imm = -(int)random_below(64) * 8};
		}
	}
	return nr;
}

static int load_random(uint32_t type)
{
	struct bpf_insn insns[18 + LONGEST + 2];
	unsigned nr = random_below(8) ? prologue(insns) : 0, body = 1 + random_below(LONGEST);
	union bpf_attr attr;

	for (unsigned i = 0; i < body; i++)
		insns[nr++] = random_insn(i, body);
	insns[nr++] = (struct bpf_insn){.code = 0xb7, .imm = (int)random_below(2)};
	insns[nr++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = nr;
	attr.license = (uintptr_t) "GPL";
	return (int)bpf(BPF_PROG_LOAD, &attr);
}

static int open_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
	    .type = type, .size = sizeof(attr), .config = config, .sample_period = 20000};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void one_round(uint64_t id)
{
	bool sampled = random_below(8) == 0;
	int prog = load_random(sampled ? BPF_PROG_TYPE_PERF_EVENT : BPF_PROG_TYPE_TRACEPOINT),
	    event;

	if (prog < 0)
		return;
	counts->loaded++;
	event = sampled ? open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
			: open_event(PERF_TYPE_TRACEPOINT, id);
	if (event >= 0 && !ioctl(event, PERF_EVENT_IOC_SET_BPF, prog)) {
		counts->ran++;
		for (int i = 0; i < (sampled ? 20 : 2); i++)
			syscall(SYS_getppid);
	}
	close(event);
	close(prog);
}

/* One that is killed, or stopped, has made fewer rounds. */
static void batch(unsigned number, uint64_t id)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		random_seed(14 + number);
		for (unsigned i = 0; i < ROUNDS; i++, counts->rounds++)
			one_round(id);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* usage: bpf [SEED]: the batches' seeds begin with it. */
int main(int argc, char **argv)
{
	const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	uint64_t id = number_in_file("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"),
		 value = 0x5eed5eed5eed5eed;
	sigset_t all;

	if (!id)
		return tap_skip_all("no tracefs");
	for (unsigned i = 0; i < COUNT(kinds); i++)
		maps[i] = make_map(i);
	canary = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 512, 0);
	for (uint32_t i = 0; i < 512; i++)
		map_command(BPF_MAP_UPDATE_ELEM, canary, &i, &value, 0);
	counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (unsigned i = 0; i < BATCHES; i++)
		batch(seed + i, id);
	ok(counts->rounds > BATCHES * ROUNDS / 2,
	   "the kernel lives after %u programs, of which %u were loaded and %u ran", counts->rounds,
	   counts->loaded, counts->ran);
	for (uint32_t i = 0; i < 512 && value == 0x5eed5eed5eed5eed; i++)
		map_command(BPF_MAP_LOOKUP_ELEM, canary, &i, &value, 0);
	ok(value == 0x5eed5eed5eed5eed, "a map that none of them was given is what it was");
	return tap_end();
}
