#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu linux: the same program on stock Linux in the same machine is the reference for ours.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"
build_probe

linux_quickly --pmu none -- "$scratch/probe" exit 3
is $status 3 "without a PMU: the program's status"

# instructions:u of a loop of 2,000,000 instructions, on both kernels, by the same program; on Linux with more memory
# than it reaches at first.
barepmu linux --memory 2048 -- "$BUILD/apps/stat" -x, -e instructions:u,cycles:u,faults -- /bin/spin 1000000
is "$status $(cat "$scratch/stdout")" "0 1000000 iterations of 2 instructions" \
	"under the emulated PMU: status and output"
grep -v '^#' "$scratch/stderr" >"$scratch/linux"
barepmu stat -x, -e instructions:u,cycles:u,faults -- spin 1000000
grep -v '^#' "$scratch/stderr" >"$scratch/ours"
is "$(cut -d, -f2,3,5 "$scratch/ours")" "$(cut -d, -f2,3,5 "$scratch/linux")" "the same events, units and percentages"
linux=$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/linux")
between "$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/ours")" $((linux - 1000)) $((linux + 1000)) \
	"the same instructions, but for what the C library finds at its start"

# The clock, with two processors, of AMD: CPUID does not tell its rate; with one: tests/e2e/pmu/intel.t and amd.t.
dog=/proc/sys/kernel/nmi_watchdog
clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
barepmu linux -v --pmu amd-v2 --smp 2 --env PATH=/bin --add /bin/sh:/bin/sh --add /bin/sleep:/bin/sleep -- \
	/bin/sh -c "sleep 3; read -r clock <$clock; echo clock \$clock; read -r dog <$dog; echo watchdog \$dog"
keeps_clock "amd-v2, two processors"
has "$scratch/stdout" '^watchdog 0' "its watchdog takes no counter"
finish
