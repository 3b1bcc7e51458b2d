/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that clients of bpf(2) call, except the ones in bpf.c: strings, groups, other
 * processors' values. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CGROUPS "/sys/fs/cgroup"

static void test_who(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
	struct stat tree;

	stat(CGROUPS, &tree);
	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, CALL(BPF_FUNC_get_current_cgroup_id), KEEP(map, 0),
		      CALL(BPF_FUNC_get_numa_node_id), KEEP(map, 1), MOVI(R0, 0), EXIT()));
	is((long)map_value(map, 0), (long)tree.st_ino, "get_current_cgroup_id: the root's");
	is((long)map_value(map, 1), 0, "get_numa_node_id");
	close(map);
}

static void test_numbers(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0);
	struct stat space;

	stat("/proc/self/ns/pid", &space);
	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, WIDE(R1, space.st_dev), WIDE(R2, space.st_ino),
		      MOV(R3, R10), ADDI(R3, -24), MOVI(R4, 8),
		      CALL(BPF_FUNC_get_ns_current_pid_tgid), KEEP(map, 0),
		      LOAD(BPF_DW, R6, R10, -24), KEEP_R6(map, 1), WIDE(R1, space.st_dev),
		      WIDE(R2, space.st_ino + 1), MOV(R3, R10), ADDI(R3, -24), MOVI(R4, 8),
		      CALL(BPF_FUNC_get_ns_current_pid_tgid), KEEP(map, 2), MOVI(R0, 0), EXIT()));
	is((long)map_value(map, 0), 0, "get_ns_current_pid_tgid");
	is((long)map_value(map, 1), (long)getpid() << 32 | getpid(), "tells both numbers");
	is((long)map_value(map, 2), -EINVAL,
	   "get_ns_current_pid_tgid of a wrong namespace: EINVAL");
	close(map);
}

/* A text that programs only read. */
static int text_map(const char *text)
{
	char bytes[8] = "";
	uint32_t key = 0;
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY_PROG);

	memcpy(bytes, text, strlen(text));
	map_command(BPF_MAP_UPDATE_ELEM, map, &key, bytes, 0);
	bpf(BPF_MAP_FREEZE, &(union bpf_attr){.map_fd = (uint32_t)map});
	return map;
}

#define COMPARE(text, bytes, map, number)                                                          \
	WIDE(R6, text), STORE(BPF_DW, R10, -24, R6), MOV(R1, R10), ADDI(R1, -24), MOVI(R2, bytes), \
	    VALUE(R3, other), CALL(BPF_FUNC_strncmp), KEEP(map, number)

static void test_strings(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0), other = text_map("abc");

	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, COMPARE(0x636261, 8, map, 0),
		      COMPARE(0x646261, 8, map, 1), COMPARE(0x646261, 2, map, 2),
		      COMPARE(0x6261, 8, map, 3), MOVI(R0, 0), EXIT()));
	is((long)map_value(map, 0), 0, "strncmp: \"abc\" is \"abc\"");
	ok((int)map_value(map, 1) > 0, "\"abd\" is after it");
	is((long)map_value(map, 2), 0, "strncmp does not compare beyond the size");
	ok((int)map_value(map, 3) < 0, "\"ab\" is before it");
	close(other);
	close(map);
}

/* Values of a processor's, found by its number. */
static void test_processors(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0),
	    each = (int)map_create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, 0);

	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, STOREI(BPF_W, R10, -4, 0), MAP(R1, each),
		      MOV(R2, R10), ADDI(R2, -4), MOVI(R3, 0),
		      CALL(BPF_FUNC_map_lookup_percpu_elem), MOVI(R6, 0), JUMPI(BPF_JEQ, R0, 0, 3),
		      STOREI(BPF_DW, R0, 0, 7), LOAD(BPF_DW, R6, R0, 0), ADDI(R6, 1),
		      KEEP_R6(map, 0), STOREI(BPF_W, R10, -4, 0), MAP(R1, each), MOV(R2, R10),
		      ADDI(R2, -4), MOVI(R3, 100000), CALL(BPF_FUNC_map_lookup_percpu_elem),
		      KEEP(map, 1), MOVI(R0, 0), EXIT()));
	is((long)map_value(map, 0), 8, "map_lookup_percpu_elem: a value to read and write");
	is((long)map_value(map, 1), 0, "no such processor");
	close(each);
	close(map);
}

/* "%d %d %d %d\n" with four values: more than trace_printk takes. */
static void test_print(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0),
	    pipe = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK);
	char text[512] = "";
	ssize_t bytes;

	while (read(pipe, text, sizeof(text)) > 0)
		;
	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, WIDE(R6, 0x2064252064252064),
		      STORE(BPF_DW, R10, -56, R6), STOREI(BPF_W, R10, -48, 0x000a6425),
		      STOREI(BPF_W, R10, -44, 0), STOREI(BPF_B, R10, -57, '%'),
		      STOREI(BPF_DW, R10, -40, 1), STOREI(BPF_DW, R10, -32, 2),
		      STOREI(BPF_DW, R10, -24, 3), STOREI(BPF_DW, R10, -16, 4), MOV(R1, R10),
		      ADDI(R1, -57), MOVI(R2, 13), MOV(R3, R10), ADDI(R3, -40), MOVI(R4, 32),
		      CALL(BPF_FUNC_trace_vprintk), KEEP(map, 0), MOVI(R0, 0), EXIT()));
	bytes = read(pipe, text, sizeof(text) - 1);
	text[bytes > 0 ? bytes : 0] = 0;
	ok(strstr(text, "1 2 3 4"), "trace_vprintk: four values");
	is((long)map_value(map, 0), 8, "snprintf returns the length");
	close(pipe);
	close(map);
}

/* bpftrace looks for these words to learn which there are. */
static void test_unknown(void)
{
	const struct bpf_insn insns[] = {CALL(BPF_FUNC_skb_store_bytes), EXIT()};
	static char log[4096];

	is(prog_load_logged(BPF_PROG_TYPE_TRACEPOINT, insns, 2, log, sizeof(log)), -EINVAL,
	   "another kind's helper: EINVAL");
	ok(strstr(log, "unknown func "), "the log says that a function is unknown");
	ok(strstr(log, "#9\n"), "the log has the unknown function's number");
}

/* As Linux ends its log; bpftrace reads the limit there. */
static void test_log(void)
{
	const struct bpf_insn insns[] = {WIDE(R0, 0), EXIT()};
	static char log[4096];
	long fd = prog_load_logged(BPF_PROG_TYPE_KPROBE, insns, 3, log, sizeof(log));

	ok(fd >= 0 && strstr(log, "processed 2 insns (limit 1000000) "),
	   "the log tells how long a program is, and may be");
	close((int)fd);
}

/* ---- signals ---- */

static volatile sig_atomic_t arrived, code;

static void arrive(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	code = info->si_code;
	arrived++;
}

/* Runs in a child: the first process must not get the signal. */
static void signalled(int map)
{
	struct sigaction action = {.sa_sigaction = arrive, .sa_flags = SA_SIGINFO};
	int prog =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R1, 65), CALL(BPF_FUNC_send_signal), KEEP(map, 0),
		 MOVI(R1, 0), CALL(BPF_FUNC_send_signal_thread), KEEP(map, 1), MOVI(R1, SIGUSR1),
		 CALL(BPF_FUNC_send_signal), KEEP(map, 2), MOVI(R0, 0), EXIT());
	int other = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R1, SIGKILL),
			 CALL(BPF_FUNC_send_signal_thread), MOVI(R0, 0), EXIT());

	sigaction(SIGUSR1, &action, NULL);
	run_once(prog);
	is((long)map_value(map, 0), -EINVAL, "send_signal: no such signal: EINVAL");
	is((long)map_value(map, 1), 0, "send_signal of signal 0");
	is((long)map_value(map, 2), 0, "send_signal sends one");
	is(arrived, 1, "the signal arrives with the call");
	is(code, 128, "the signal is the kernel's");
	fflush(stdout);
	run_once(other);
	_exit(0);
}

static void test_signal(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0), status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		signalled(map);
	waitpid(child, &status, 0);
	tap_count += 7; /* the child's */
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "send_signal_thread: it is killed");
	close(map);
}

int main(void)
{
	mount_tracefs();
	if (access(CGROUPS "/cgroup.procs", F_OK))
		mount("cgroup2", CGROUPS, "cgroup2", 0, NULL);
	test_who();
	test_numbers();
	test_strings();
	test_processors();
	test_print();
	test_unknown();
	test_log();
	test_signal();
	return tap_end();
}
