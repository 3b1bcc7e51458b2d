#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The programs of tests/guest about events, BPF, control groups, mounts and single answers pass on Debian's kernel as
# well, except for the failures that tests/oracle/unlike explains. Programs that print costs are of this kernel alone.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"

# A name follows the function that tests it.
sed -e '/^#/d' -e '/^$/d' -e 's/^\([a-z_0-9]*\): /^\1: ([a-z_0-9]+: )?/' tests/oracle/unlike >"$scratch/unlike"
# Programs that run where all events are, with one processor. perf_ring and perf_sample sample faster than Linux lets
# them, which lowers its rate as it goes. kprobes has a boot of its own without a PMU: each probe makes Linux go through
# all its functions, which takes long under the visor. tracepoints has one as well: beside others two of its tests fail
# there. So has uprobes_hostile, one of whose tests does: the probe that a tracer steps through is not counted. perf_ibs
# is AMD's. perf_later needs a Linux after 6.1.
programs=$(cd tests/guest &&
	ls count/perf_*.c count/rdpmc.c sample/perf_*.c trace/*.c bpf/*.c count/cgroups.c files/copies.c \
		files/mounts.c files/watches.c files/named_sockets.c files/datagrams.c \
		answers/*.c task/sysv.c task/futexes.c task/parts.c task/sequences.c |
	sed 's/.*\///; s/\.c$//' |
	grep -vxE 'perf_(cost|fuzz|hybrid|smp|precise|topdown|ring|sample)|bpf_smp|trace_(cost|growth)' |
	grep -vxE 'kprobes|tracepoints|uprobes_hostile|perf_ibs|perf_later')

# boot PROGRAM...: adds what they print to $scratch/printed; $linux is the command.
boot() {
	options=
	paths=
	for program; do
		options="$options --add $BUILD/tests/guest/$program-musl:/guest/$program"
		paths="$paths /guest/$program"
	done
	# shellcheck disable=SC2086 # words
	$linux $options -- "$BUILD/tests/oracle/each" $paths
	cat "$scratch/stdout" >>"$scratch/printed"
}

linux="linux_plainly --pmu intel-v4"
# shellcheck disable=SC2086 # words
boot $programs
boot uprobes_hostile tracepoints
linux="linux_quickly --pmu amd-v2"
boot perf_ibs
linux="linux_quickly --pmu none"
boot kprobes
programs="$programs tracepoints uprobes_hostile perf_ibs kprobes"
awk '/^== status/ { next } /^== / { program = $2; next } /^(not )?ok / {
	failed = /^not/; name = $0; sub(/^(not )?ok [0-9]+ - /, "", name)
	print (failed ? "failed " : "passed ") program ": " name }' "$scratch/printed" >"$scratch/results"
is "$(grep -c '^== status [01]$' "$scratch/printed")" "$(echo "$programs" | wc -w)" "every program ends on Linux"
for program in $programs; do
	sed -n "s/^failed \($program: \)/\1/p" "$scratch/results" | grep -Evf "$scratch/unlike" >"$scratch/new" || true
	[ ! -s "$scratch/new" ] && grep -q "^passed $program: " "$scratch/results"
	ok $? "$program: $(grep -c "^passed $program: " "$scratch/results") tests pass on Linux"
	sed 's/^/# /' "$scratch/new"
done
finish
