#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `bench`: figures of known code on a simulated core, each option, what ends code and what is refused.
. tests/e2e/lib.sh
command -v nasm >/dev/null || skip_all "nasm is not installed"

bench() {
	barepmu bench --core skylake "$@"
}

# column N CODE: a field of the CSV line of this code (2: the first event's value, then low and high of each).
column() {
	grep -F "\"$2\"," "$scratch/stdout" | sed 's/^"[^"]*",//' | cut -d, -f"$(($1 - 1))"
}

# known CODE CYCLES INSTRUCTIONS: 200 runs of the simulated core are equal.
known() {
	is "$(column 2 "$1") $(column 5 "$1")" "$2.0000 $3.0000" "$1: cycles, instructions"
	is "$(column 8 "$1") $(column 9 "$1")" "200 200" "in 200 of 200 runs"
}

for ring in 3 0; do
	bench --ring $ring --runs 200 --csv --init 'xor ebx, ebx; mov [r14], r14' --asm 'add rax, rbx' --asm 'imul rax, rbx' \
		--asm 'mov r14, [r14]' --asm 'mov r14, [r14 + rbx*8]' --asm 'add rax, 1; add rbx, 1; add rcx, 1; add rdx, 1'
	is $status 0 "ring $ring: status"
	known 'add rax, rbx' 1 1
	known 'imul rax, rbx' 3 1
	known 'mov r14, [r14]' 4 1
	known 'mov r14, [r14 + rbx*8]' 5 1
	known 'add rax, 1; add rbx, 1; add rcx, 1; add rdx, 1' 1 4
	is "$(grep -c '"valid: .*overhead subtracted, resolution 0.01' "$scratch/stdout")" 5 "each is valid"
done

# Privileged code.
bench --ring 0 --csv --events instructions --asm wbinvd --asm 'mov ecx, 0c0000080h; rdmsr; wrmsr' \
	--asm 'invlpg [r14]; cli; mov rax, cr3; mov cr3, rax'
is "$status $(grep -v '^[#c]' "$scratch/stdout" | cut -d'"' -f3 | cut -d, -f2 | tr '\n' ' ')" "0 1.0000 3.0000 4.0000 " \
	"WBINVD, RDMSR, WRMSR, INVLPG, CLI, CR3"

# What ends the code: the instruction, the vector, the registers; not the machine.
for ring in 3 0; do
	bench --ring $ring --asm 'nop
xor ebx, ebx
mov rcx, [rbx + 77h]'
	is $status 125 "ring $ring: a page fault: status"
	has "$scratch/stderr" 'vector 14 \(page fault\) at byte 3 of the code: mov rcx, \[rbx \+ 77h\]$' "the instruction"
	has "$scratch/stderr" 'rbx 0{16}$' "a register"
	has "$scratch/stderr" 'cr2 0000000000000077' "the address"
done
bench --asm nop --init wbinvd
has "$scratch/stderr" 'vector 13 \(general protection\) at byte 0 of --init' "in --init"

# Bad input: nasm's own words, and what else is wrong.
refused() {
	pattern=$1 name=$2
	shift 2
	bench "$@"
	is $status 125 "$name: status"
	one_line "$name"
	has "$scratch/stderr" "$pattern" "$name: what it says"
}
refused '^barepmu: --asm:2: error: .*instruction expected' "nasm's error" --asm 'nop; frob rax'
refused "no code: there is nothing" "no code" --asm ' '
refused "unknown event 'cycels'.*cycles" "an event that does not exist" --asm nop --events cycels
refused "wants one of --asm" "nothing to measure"
refused "unknown option '--unrool'.*--unroll'" "an option" --asm nop --unrool 3
refused "unknown suite 'memry'.*'memory'" "a suite" memry
refused "ring wants 0 or 3, not '1'" "a ring" --asm nop --ring 1
refused "unroll wants a number" "a number" --asm nop --unroll 0
refused "range wants NAME=FIRST" "a range" --asm nop --range X=5..1
mkdir "$scratch/without"
ln -s "$(command -v qemu-system-x86_64)" "$scratch/without/"
PATH=$scratch/without "$BAREPMU" bench --asm nop 2>"$scratch/stderr"
has "$scratch/stderr" '^barepmu: bench --asm and --init need nasm: install the package nasm$' "without nasm"
one_line "without nasm"
finish
