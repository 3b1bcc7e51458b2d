#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu trace: the calls of a program with threads, a signal's handler, longjmp() and a child, as a list, a table and
# pictures.
. tests/e2e/lib.sh
unset BAREPMU_CORE

cat >"$scratch/program.c" <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf place;

__attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__attribute__((noinline)) void leaver(int n) { if (n) leaver(n - 1); longjmp(place, 1); }
__attribute__((noinline)) void handler(int signal) { (void)signal; __asm__ volatile(""); }
__attribute__((noinline)) void *runner(void *number) { return (void *)(long)fibonacci((int)(long)number); }

int main(void)
{
	pthread_t threads[2];

	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	if (!setjmp(place))
		leaver(3);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, runner, (void *)(8 + i));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!fork())
		execl("/bin/true", "true", NULL);
	wait(NULL);
	printf("%d\n", fibonacci(10));
	return 0;
}
END
gcc -O1 -fno-inline -fno-optimize-sibling-calls -pthread "$scratch/program.c" -o "$scratch/program"

# calls FUNCTION: how many the table has.
calls() {
	awk -v name="$1" '$5 == name { print $1 }' "$scratch/table"
}

barepmu record -q -e intel_pt/cyc,noretcomp,mtc=0/u --smp 2 -o "$scratch/pt.data" -- "$scratch/program"
is "$status $(cat "$scratch/stdout")" "0 55" "record -e intel_pt//u: status and the program's output"
barepmu trace --input "$scratch/pt.data" -o "$scratch/list"
is "$status" 0 "a list: status"
barepmu trace --input "$scratch/pt.data" --functions -o "$scratch/table"
# fibonacci(n) makes 2 F(n+1) - 1 calls, with F the Fibonacci numbers: 67 for 8, 109 for 9, 177 for 10.
is "$(calls fibonacci)" 353 "a table: calls of threads on two processors"
is "$(calls leaver)" 4 "a table: calls that longjmp() left"
is "$(calls handler) $(calls runner)" "1 2" "a table: a handler, threads"
is "$(grep -c 'gaps' "$scratch/stderr")" 0 "no gap"
has "$scratch/list" '^# thread [0-9]+: true' "a list: a child with another program"
# fork() returns into main() twice.
is "$(grep -c '} main' "$scratch/list") $(grep -c '} leaver' "$scratch/list")" "2 4" "a list: each call ends once"
awk '/raise|__pthread_kill/ { inside = 1 } / handler$/ && inside { found = 1 } END { exit !found }' "$scratch/list"
ok $? "a list: the handler is inside of what it interrupted"

barepmu trace --svg "$scratch/calls.svg" --html "$scratch/calls.html" -- "$scratch/program"
is "$status $(cat "$scratch/stdout")" "0 55" "a timeline: status and the program's output"
has "$scratch/calls.svg" 'data-n="main"' "a timeline: main has a bar"
has "$scratch/calls.html" '<th>fibonacci' "a page: the table has a function"
is "$(grep -c '^</svg>' "$scratch/calls.svg")" 1 "a timeline ends"
instructions=$(sed -n 's/.* \([0-9]*\) instructions in .*/\1/p' "$scratch/stderr")
barepmu trace --instructions --input "$scratch/pt.data" -o "$scratch/instructions"
between "$(grep -c ': ' "$scratch/instructions")" "$((instructions * 9 / 10))" "$((instructions * 11 / 10))" \
	"instructions: a line each"
has "$scratch/instructions" 'fibonacci\+0: (push|cmp|mov|sub|endbr64)' "instructions: with address, function and text"

# PTWRITE of a register and of memory, also of a page that is read from its file by then; what ring 3 may not read.
cat >"$scratch/values.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static const struct { char page[4096]; unsigned long value; } behind = {"", 0x1122334455667788};
static sigjmp_buf place;
static volatile int faults;

static void on_fault(int signal) { faults += signal == SIGSEGV; siglongjmp(place, 1); }

static void try(const void *address)
{
	if (!sigsetjmp(place, 1))
		__asm__ volatile("ptwriteq (%0)" : : "r"(address));
}

int main(void)
{
	unsigned small = 0x89abcdef;

	signal(SIGSEGV, on_fault);
	for (unsigned long i = 0; i < 100; i++)
		__asm__ volatile("ptwriteq %0" : : "r"(0xa000 + i));
	__asm__ volatile("ptwritel %0\n\tptwriteq %1" : : "m"(small), "m"(behind.value));
	__asm__ volatile("ptwriteq %%fs:(%0)" : : "r"(0L));
	try((void *)0xffffffff81000000);
	try((void *)0x1234);
	try(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	printf("%d\n", faults);
	return 0;
}
END
gcc -O1 "$scratch/values.c" -o "$scratch/values"
barepmu record -q --pmu gracemont -e intel_pt/ptw,fup_on_ptw/u -o "$scratch/values.data" -- "$scratch/values"
is "$status $(cat "$scratch/stdout")" "0 3" "PTWRITE: faults where the program may not read"
perf script -i "$scratch/values.data" --itrace=we -F event,ip,sym,synth >"$scratch/list" 2>/dev/null
is "$(grep -c 'payload' "$scratch/list") $(grep -ci error "$scratch/list")" "103 0" "PTWRITE: perf finds each, no error"
is "$(grep -c 'payload: 0xa0' "$scratch/list")" 100 "PTWRITE: values of a register"
has "$scratch/list" 'payload: 0x89abcdef ' "PTWRITE: a value in memory"
has "$scratch/list" 'payload: 0x1122334455667788 ' "PTWRITE: a value of a file's page"

# Through the kernel, with exec() in it: by the core, with processors that take turns, and stepped.
for machine in "" "--smp 2" "--core none"; do
	# shellcheck disable=SC2086
	barepmu record -q $machine -e intel_pt// -o "$scratch/kernel.data" -- /bin/true
	barepmu trace --input "$scratch/kernel.data" -o "$scratch/kernel.list"
	is "$(grep -c gaps "$scratch/stderr")" 0 "a trace of ring 0 and 3 has no gap (machine: ${machine:-usual})"
	has "$scratch/kernel.list" 'return_to_user|exec' "it has functions of the kernel"
done

barepmu trace
is "$status" 125 "no program: status"
barepmu record -q -c 10000 -o "$scratch/samples.data" -- "$scratch/program"
barepmu trace --input "$scratch/samples.data"
is "$status" 125 "no trace in the file: status"
has "$scratch/stderr" "has no Processor Trace" "no trace in the file: it says so"
barepmu trace --pmu zen4 -- "$scratch/program"
is "$status" 125 "a PMU without Processor Trace: status"
finish
