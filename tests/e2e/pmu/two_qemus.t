#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two versions of QEMU give the same counts where the architecture or the simulated core says what they are.
# BAREPMU_OTHER_QEMU: the other one's qemu-system-x86_64; otherwise the first of another version in /usr/local or /opt.
. tests/e2e/lib.sh

# version_of QEMU
version_of() {
	"$1" --version 2>/dev/null | sed -n '1s/.* version \([0-9]*\.[0-9]*\).*/\1/p'
}

other=${BAREPMU_OTHER_QEMU:-}
own=$(version_of qemu-system-x86_64)
for file in /usr/bin/qemu-system-x86_64 /usr/local/bin/qemu-system-x86_64 /opt/*/bin/qemu-system-x86_64; do
	[ -n "$other" ] || [ ! -x "$file" ] || [ "$(version_of "$file")" = "$own" ] || other=$file
done
[ -x "$other" ] || skip_all "one version of QEMU is installed, and BAREPMU_OTHER_QEMU names no other"
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

# stacks FILE: the samples' addresses and branch records, without their cycles.
stacks() {
	barepmu record -b -e instructions:u -c 1000003 -o "$scratch/perf.data" -- kinds
	perf script -f -i "$scratch/perf.data" -F ip,brstack 2>/dev/null |
		sed -E 's,(0x[0-9a-f]+/0x[0-9a-f]+/[PM-])[^ ]*,\1,g' >"$1"
}
if command -v perf >/dev/null; then
	stacks "$scratch/first"
	PATH=$scratch/other:$PATH
	stacks "$scratch/second"
	PATH=${PATH#*:}
	between "$(grep -c 0x "$scratch/first")" 30 40 "branch records: samples"
	is "$(cat "$scratch/second")" "$(cat "$scratch/first")" "branch records: equal"
else
	skip "perf is not installed: branch records"
fi

# A block of QEMU's may end elsewhere; the core then sees an access earlier or later.
both "cycles" -e cycles:u,L1-dcache-load-misses:u
for event in cycles:u L1-dcache-load-misses:u; do
	count=$(grep "$event" "$scratch/first" | cut -d, -f1)
	between "$(grep "$event" "$scratch/second" | cut -d, -f1)" $((count - count / 100)) $((count + count / 100)) \
		"$event: within 1%"
done
finish
