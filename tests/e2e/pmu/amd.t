#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# AMD's PMUs under Debian's unmodified kernel and its own perf: the driver's lines, counts and samples of a known loop,
# and no unclaimed NMI.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"
command -v perf >/dev/null || skip_all "no perf"

stock_perf
add="$add --add /bin/sleep:/sleep"

# 2,000,000 instructions, and the program's start; a sample for each 10,000 of them. perf finds the BPF programs that it
# reports in /proc/kallsyms, which takes longer than all the rest.
script='
/perf stat -x, -e instructions:u,cycles:u,branches:u,branch-misses:u /spin 1000000 2>&1
/perf record -q --no-bpf-event -e instructions:u -c 10000 -o /tmp.data /spin 1000000
/perf script -i /tmp.data -F ip,sym | while read -r ip symbol; do echo "sample $symbol"; done
/sleep 3
read -r clock </sys/devices/system/clocksource/clocksource0/current_clocksource
echo "clock $clock"'

# machine PMU COUNTERS VERSION [COMMAND]: one boot; Linux's lines about the PMU, and perf's counts and samples.
machine() {
	# shellcheck disable=SC2086 # words
	${4:-linux_plainly} -v --pmu "$1" $add -- "$(readlink -f $loader)" /bin/sh -c "$script"
	is $status 0 "$1: Debian's kernel boots and runs perf"
	has "$scratch/stderr" 'Performance Events: .*AMD PMU driver' "$1: its AMD driver takes the PMU"
	has "$scratch/stderr" "generic registers: +$2\$" "$1: with $2 counters"
	has "$scratch/stderr" "\.\.\. version: +$3\$" "$1: of version $3"
	between "$(field instructions:u)" 2000000 2010000 "$1: perf stat counts the loop's instructions"
	between "$(field cycles:u)" 1500000 1508000 "$1: and cycles, 3 for 4 of them"
	between "$(field branches:u)" 375000 377000 "$1: and branches"
	between "$(grep -c '^sample' "$scratch/stdout")" 200 201 "$1: perf record takes a sample of each period"
	# A late PMI may find the program on its way into the kernel, or out of it.
	between "$(grep -c '^sample spin_loop' "$scratch/stdout")" 196 201 "$1: in the loop"
	keeps_clock "$1"
	! grep -Eq 'unknown reason|Dazed|Reserved PerfCntrGlobalStatus|unchecked MSR' "$scratch/stderr"
	ok $? "$1: every NMI has its reason, every register is there"
}

machine amd-v2 6 2
has "$scratch/stderr" 'Refined TSC clocksource calibration: (999\.99|1000\.00)' "amd-v2: the TSC runs as the timer does"
machine amd-core 6 0 linux_quickly
machine amd-k7 4 0 linux_quickly

# Late PMIs come on each return from a signal's handler: the program makes progress all the same.
barepmu run --pmu amd-core -- "$BUILD/tests/fuzz/events" "for each"
is $status 0 "amd-core: storms of samples and signals end"

# Events of likwid's groups for Zen 2: refills from anywhere are the sum of each source's, requests except prefetches
# are all requests.
BAREPMU_CORE=zen2 barepmu stat -x, --pmu amd-core -e r143:u,r243:u,r843:u,r5b43:u,rff60:u,rf960:u -- kinds
is $status 0 "amd-core: refills and requests are counted"
# count EVENT: how often it was.
count() {
	awk -F, -v event="$1" '$3 == event { print $1 }' "$scratch/stderr"
}
# 200,000 steps of a chase through 2 MiB, of which L1D has 32 KiB: all but one in 64 miss. Each line of five walks in
# order may miss as well: 163,840.
between "$(count r5b43:u)" 195000 370000 "refills of the data cache: a chase's, and no more than all lines'"
is "$(count r5b43:u)" $(($(count r143:u) + $(count r243:u) + $(count r843:u))) \
	"refills of the data cache: the sum of their sources"
between "$(count rf960:u)" 195000 370000 "requests to the second level: the data cache's refills"
is "$(count rf960:u)" "$(count rff60:u)" "requests to the second level: none is a prefetch"

# Instructions out of L2, and divisions: a thousand, between 64 KiB of code, twice what L1I holds.
cat >"$scratch/divide.c" <<'END'
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		int quotient = i;
		__asm__ volatile(".rept 1024\n\tjmp 1f\n\t.balign 64\n1:\n\t.endr\n\txor %%edx, %%edx\n\tdiv %1"
				 : "+a"(quotient) : "r"(7) : "edx", "cc");
	}
}
END
gcc -O1 -static -o "$scratch/divide" "$scratch/divide.c"
BAREPMU_CORE=zen2 barepmu stat -x, --pmu amd-core -e rd4:u,r82:u,r83:u,r1060:u -- "$scratch/divide"
between "$(count rd4:u)" 1000 1100 "divisions, of which the C library has some"
between "$(count r82:u)" 900000 1100000 "refills of L1I from L2: a line each"
between $(($(count r1060:u) - $(count r82:u) - $(count r83:u))) 0 0 "what L2 was asked for it had or not"
finish
