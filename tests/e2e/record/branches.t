#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu record -b: branch stacks that stock perf reads, of a program whose branches are the labels of its source.
. tests/e2e/lib.sh
command -v perf >/dev/null || skip_all "perf is not installed"
command -v nasm >/dev/null || skip_all "nasm is not installed"
data=$scratch/perf.data

# Each round: a call, its return, then by turns a jump or a taken branch, and the loop's branch.
cat >"$scratch/known.asm" <<'END'
bits 64
global _start
_start:
	mov r12, 100000
top:
call_from:
	call leaf
back:
	test r12, 1
even_from:
	jz even
jump_from:
	jmp even
even:
	dec r12
loop_from:
	jnz top
	mov eax, 231
	xor edi, edi
	syscall
leaf:
	nop
return_from:
	ret
END
nasm -f elf64 -g "$scratch/known.asm" -o "$scratch/known.o" && ld -static "$scratch/known.o" -o "$scratch/known"

# address LABEL: without leading zeros, as perf prints it.
address() {
	nm "$scratch/known" | sed -n "s/^0*\([0-9a-f]*\) t $1\$/0x\1/p"
}

# edge FROM TO
edge() {
	echo "$(address "$1")/$(address "$2")"
}

# stacks PMU: from/to of all entries, a sample a line.
stacks() {
	barepmu record --pmu "$1" -b -e instructions:u -c 20011 -o "$data" -- "$scratch/known"
	is $status 0 "$1: status"
	perf script -f -i "$data" -F brstack >"$scratch/script" 2>"$scratch/warnings"
	is "$(cat "$scratch/warnings")" "" "$1: perf script has nothing to complain about"
	sed -E 's#(0x[0-9a-f]+/0x[0-9a-f]+)/[^ ]*#\1#g' "$scratch/script" >"$scratch/stacks"
}

{
	edge call_from leaf
	edge return_from back
	edge even_from even
	edge jump_from even
	edge loop_from top
} | sort >"$scratch/expected"

for pmu in intel-v3 intel-v4 intel-v5 amd-v2; do
	depth=32
	case $pmu in intel-v3 | amd-v2) depth=16 ;; esac
	stacks $pmu
	# The first sample's stack holds what came before the loop; interrupts return into it from the kernel.
	sed 1d "$scratch/stacks" | tr -s ' ' '\n' | grep -v ^0xffff | grep . | sort -u >"$scratch/seen"
	is "$(cat "$scratch/seen")" "$(cat "$scratch/expected")" "$pmu: the branches are the program's, all five"
	is "$(sed 1d "$scratch/stacks" | awk '{ print NF }' | sort -n | tail -1)" $depth "$pmu: stacks of $depth"
	is "$(sed 1d "$scratch/stacks" | awk -v depth=$depth 'NF < depth - 2' | wc -l)" 0 \
		"$pmu: all are full, but for interrupts"
done

stacks intel-v4
has "$scratch/script" '/M/-/-/' "intel-v4: some branch was mispredicted"
perf report -f -i "$data" -b --stdio >"$scratch/report" 2>"$scratch/warnings"
is "$(cat "$scratch/warnings")" "" "perf report -b has nothing to complain about"
has "$scratch/report" '\[\.\] (top|call_from) +\[\.\] leaf' "the call is in the report"
has "$scratch/report" '\[\.\] loop_from +\[\.\] (top|call_from)' "the loop's branch is in the report"

barepmu record --pmu core-duo -b -o "$data" -- "$scratch/known"
is $status 125 "without branch records: our status"
has "$scratch/stderr" '^record: this PMU has no branch records' "without branch records: a line names the reason"
finish
