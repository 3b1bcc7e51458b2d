#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's perf tests itself in the image: the tests that use the kernel and that Debian's kernel passes in the same
# emulator. (Others test perf alone, or need a compiler for BPF and the kernel's own functions.) OLD|NEW: the name in
# perf 6.1 and in 6.12.
. tests/e2e/lib.sh
perf=$(find /usr/bin -name 'perf_*' | sort | tail -n 1)
[ -n "$perf" ] || perf=/usr/bin/perf
cat >"$scratch/names" <<'NAMES'
Detect openat syscall event
Detect openat syscall event on all cpus
Read samples using the mmap interface
User space counter reading of instructions
User space counter reading of cycles
Test event parsing
Parsing of all PMU events from sysfs
Parsing of given PMU events from sysfs
events & perf_sample fields
Parse perf pmu format|Parsing with PMU format directory
DSO data read|[0-9]\.1: read
DSO data cache|[0-9]\.2: cache
DSO data reopen|[0-9]\.3: reopen
Roundtrip evsel->name
Parse sched tracepoints fields
syscalls:sys_enter_openat event fields
Breakpoint overflow signal handler
Breakpoint overflow sampling
Breakpoint accounting
Write Only Watchpoint
Read / Write Watchpoint
Modify Watchpoint
Software clock events period values
Sample parsing
Use a dummy software event to keep tracking
Parse with no sample_id_all bit set
Lookup mmap thread
Share thread maps
Track with sched_switch
Thread map
Session topology
Synthesize thread map
Synthesize cpu map
Event times
Read backward ring buffer
Test api io
Event expansion for cgroups
TSC support
Perf time to TSC
Sigtrap
x86 bp modify
NAMES
# The names of tests that have parts, where 6.12 asks for the parts' names or its number; the rest by their own.
set -- 'mmap interface tests' 'Watchpoint' 'Parse event definition strings' 'Convert perf time to TSC'
# shellcheck disable=SC2046 # none or one
set -- "$@" $("$perf" test list 2>&1 | sed -n 's/^ *\([0-9]*\): DSO data tests$/\1/p')
while read -r name; do
	set -- "$@" "${name%%|*}" "${name#*|}"
done <"$scratch/names"
barepmu run --pmu intel-v4 --memory 1024 --env PATH=/usr/bin --add "$perf:/usr/bin/perf" \
	-- /usr/bin/perf test "$@"
cat "$scratch/stdout" "$scratch/stderr" >"$scratch/all"
while read -r name; do
	has "$scratch/all" "($name) *: Ok" "perf test: ${name%%|*}"
done <"$scratch/names"

# It polls a thousand times at most, and samples every cycle of `true`, each with a wake-up. With one processor each
# lets the poller run: 30,815 of its 30,816 polls until SIGCHLD find a sample, the last the hang-up. On Debian's kernel
# under the visor it fails for the same reason (31,128 of 36,342, and 5,000 to 10,000 more between the hang-up and
# SIGCHLD). With two it keeps up, where the host lets both run at once: it is tried until it does.
tries=0
while :; do
	barepmu run --pmu intel-v4 --smp 2 --memory 1024 --env PATH=/usr/bin --add "$perf:/usr/bin/perf" \
		--add "$BUILD/apps/list:/usr/bin/true" -- /usr/bin/perf test 'Number of exit events of a simple workload'
	cat "$scratch/stdout" "$scratch/stderr" >"$scratch/all"
	tries=$((tries + 1))
	[ $tries -lt 8 ] && ! grep -q 'Number of exit events of a simple workload *: Ok' "$scratch/all" || break
done
has "$scratch/all" 'Number of exit events of a simple workload *: Ok' "perf test: exit events, with two processors"

# Scripts of perf's about what it prints, which need a PMU.
if [ -e /usr/lib/perf-core/tests/shell/stat.sh ]; then
	cat >"$scratch/scripts" <<'SCRIPTS'
Zstd perf.data compression/decompression
perf stat CSV output linter
perf stat csv summary test
perf stat metrics (shadow stat) test
perf stat tests
SCRIPTS
	set --
	while read -r name; do
		set -- "$@" "$name"
	done <"$scratch/scripts"
	barepmu run --pmu intel-v4 --memory 1024 --cwd / --env PATH=/usr/sbin:/usr/bin:/sbin:/bin --env HOME=/tmp \
		--add "$perf:/usr/bin/perf" -- /usr/bin/perf test "$@"
	cat "$scratch/stdout" "$scratch/stderr" >"$scratch/all"
	while read -r name; do
		grep -F "$name" "$scratch/all" | grep -v ': Running' >"$scratch/said"
		is "$(grep -c . "$scratch/said") $(grep -c ': Ok' "$scratch/said")" "1 1" "perf test: $name"
	done <"$scratch/scripts"
else
	skip "perf test: scripts" "perf's scripts are not installed"
fi

# A script of perf's, which is looked for in ./tests first: sessions, signals, pings and locks through a socket with a
# name. The daemon becomes the first process's child: perf would take its end for the test's.
if [ -e /usr/lib/perf-core/tests/shell/daemon.sh ]; then
	barepmu run --pmu none --memory 1024 --cwd / --env PATH=/usr/sbin:/usr/bin:/sbin:/bin --env HOME=/tmp \
		--add "$perf:/usr/bin/perf" -- /bin/sh -c 'perf test -v -v "daemon operations"; true'
	cat "$scratch/stdout" "$scratch/stderr" >"$scratch/all"
	has "$scratch/all" 'test daemon lock' "perf's daemon: each of its tests ran"
	has "$scratch/all" 'daemon operations *: Ok' "perf test: daemon operations"
else
	skip "perf test: daemon operations" "perf's scripts are not installed"
fi
finish
