#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two versions of QEMU give the same counts where the architecture or the simulated core says what they are.
# BAREPMU_OTHER_QEMU: the other one's qemu-system-x86_64; without it the test is left out.
. tests/e2e/lib.sh
other=${BAREPMU_OTHER_QEMU:-}
[ -x "$other" ] || skip_all "BAREPMU_OTHER_QEMU names no QEMU"
mkdir "$scratch/other"
ln -s "$other" "$scratch/other/qemu-system-x86_64"
unset BAREPMU_CORE

# counts FILE OPTION...: of the program, one line an event.
counts() {
	to=$1
	shift
	barepmu stat -x, "$@" -- kinds
	grep -v '^#' "$scratch/stderr" | cut -d, -f1,3 >"$to"
	said=$(grep '^# PMU' "$scratch/stderr")
}

# both NAME OPTION...: with each QEMU.
both() {
	name=$1
	shift
	counts "$scratch/first" "$@"
	first=$said
	PATH=$scratch/other:$PATH
	counts "$scratch/second" "$@"
	PATH=${PATH#*:}
	is "$said" "$first" "$name: PMU and clock"
}

for processors in 1 2 4; do
	both "$processors processors" --smp $processors -e instructions:u,branches:u,branch-misses:u,L1-dcache-loads:u
	is "$(cat "$scratch/second")" "$(cat "$scratch/first")" "$processors processors: equal counts"
done
# A block of QEMU's may end elsewhere; the core then sees an access earlier or later.
both "cycles" -e cycles:u,L1-dcache-load-misses:u
for event in cycles:u L1-dcache-load-misses:u; do
	count=$(grep "$event" "$scratch/first" | cut -d, -f1)
	between "$(grep "$event" "$scratch/second" | cut -d, -f1)" $((count - count / 100)) $((count + count / 100)) \
		"$event: within 1%"
done
finish
