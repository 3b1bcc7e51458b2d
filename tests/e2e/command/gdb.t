#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command gdb: the machine waits for gdb, which stops the kernel with names and lines, and the program's output and
# status come through; gdb's end is the machine's.
. tests/e2e/lib.sh

command -v gdb >/dev/null || skip_all "no gdb"

# debug OPTION... -- PROGRAM: with gdb's commands from $scratch/commands.
debug() {
	status=0
	timeout -k 5 120 "$BAREPMU" gdb "$@" <"$scratch/commands" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
}

for pmu in intel-v4 none; do
	printf '%s\n' 'hbreak *sys_exit_group' continue backtrace delete continue >"$scratch/commands"
	debug --pmu $pmu -- "$BUILD/tests/guest/task_cost-musl"
	has "$scratch/stdout" 'Breakpoint 1, sys_exit_group' "$pmu: a breakpoint in the kernel"
	has "$scratch/stdout" '^#1 .*syscall_entry' "$pmu: a backtrace with names"
	has "$scratch/stdout" '^(ok|1\.\.0)' "$pmu: the program's output"
	is "$status" 0 "$pmu: the program's status"
done
echo kill >"$scratch/commands"
debug -- "$BUILD/apps/kinds"
is "$status $(grep -c rounds "$scratch/stdout")" "0 0" "gdb's kill ends the machine before the program starts"
finish
