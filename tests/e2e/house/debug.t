#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The debug kernel finds what its checks are for: each kind of damage, done on purpose (kernel/debug/break.c), is a
# panic that names it.
. tests/e2e/lib.sh
export BAREPMU_KERNEL="$BUILD/debug/kernel.elf"

number=0
while read -r words; do
	barepmu run --pmu none -- "$BUILD/tests/debug/broken" $number
	has "$scratch/stderr" "^panic: $words" "found: $words"
	number=$((number + 1))
done <<END
check: .*was changed after its end, at byte 50
check: .*was overrun at byte 100
check: .*is freed again
check: .*was changed after its end: word 500
check: .*has 0 references
check: .*taken out of a list that does not know it
check: .*remote_serve[(][)] is called with interrupts enabled
check: .*a file with 0 references
check: .*is used up
check: .*ring 0 was at work for 1[5-9][0-9] ms
invalid opcode in the kernel
check: broken begins to sleep with a signal pending
END
finish
