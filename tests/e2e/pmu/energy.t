#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Energy counters: joules of a program and of an instruction in the image, and of a program on Debian's kernel by its
# own driver. docs/emulated-pmu.md has the constants that the bounds follow from.
. tests/e2e/lib.sh
unset BAREPMU_CORE

# A second of sleep takes 1 J of static power, and some milliseconds of work.
barepmu stat -x, -e power/energy-pkg/ -- /bin/sleep 1
joules=$(grep power/energy-pkg/ "$scratch/stderr" | grep -v '^#')
between "${joules%%,*}" 1.00 1.02 "stat: joules of a second's sleep"
is "$(echo "$joules" | cut -d, -f2)" Joules "stat: the unit of the counter's files"

# Three cycles of 200 pJ and 1 ns at 1 W each, and an instruction: 3.67 nJ.
barepmu bench --energy --json --asm 'imul rax, rax'
joules=$(sed -n 's/.*"joules": \([^,]*\),.*/\1/p' "$scratch/stdout")
between "$joules" 3.6e-9 3.8e-9 "bench: joules of a multiplication"
has "$scratch/stdout" '"valid": true' "bench: the energy has its verdict"

driver=$(find /usr/lib/modules -name rapl.ko 2>/dev/null | head -1)
if [ -z "$driver" ] || ! command -v busybox perf >/dev/null; then
	skip "no rapl.ko of Debian's kernel, no busybox, or no perf here"
	finish
	exit 0
fi
stock_perf
# shellcheck disable=SC2086 # $add is several words
linux_quickly --core none $add --add "$driver:/rapl.ko" -- "$(command -v busybox)" sh -c \
	"insmod /rapl.ko && $loader /perf stat -x, -a -e power/energy-pkg/ -- $(command -v busybox) sleep 2"
joules=$(cat "$scratch/stdout" "$scratch/stderr" | grep power/energy-pkg/)
between "${joules%%,*}" 2.00 2.10 "Debian's driver: joules of two seconds' sleep"
finish
