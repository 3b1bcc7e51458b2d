#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processor Trace of 200 random functions: what the simulated core traces decodes to the instructions that a stepped run
# traces, one by one. SEED=N takes other functions.
. tests/e2e/lib.sh
command -v nasm >/dev/null || skip_all "nasm is not installed"
unset BAREPMU_CORE
seed=${SEED:-1}

# Functions call only later ones, so that all end. RBX is the state that conditions take bits of.
awk -v seed="$seed" -v functions=200 '
	function roll(n) { return int(rand() * n) }
	function label() { return ".l" ++labels }
	function condition() { printf "\timul rbx, rbx, %d\n\tbt rbx, %d\n", 2 * roll(1000) + 3, roll(64) }
	function callee(f) { f += 1 + roll(5); return f < functions ? "f" f : "leaf" }
	function item(f, kind, l, m) {
		kind = roll(14); l = label(); m = label()
		if (kind < 4) { condition(); printf "\t%s %s\n\tinc rcx\n%s:\n", roll(2) ? "jc" : "jnc", l, l }
		else if (kind == 4) printf "\tcall %s\n", callee(f)
		else if (kind == 5) printf "\tlea rax, [rel %s]\n\tcall rax\n", callee(f)
		else if (kind == 6) printf "\tlea rax, [rel %s]\n\tjmp rax\n\tud2\n%s:\n", l, l
		else if (kind == 7) printf "\tmov ecx, %d\n%s:\n\tdec ecx\n\tjnz %s\n", 2 + roll(20), l, l
		else if (kind == 8) printf "\tlea rax, [rel %s]\n\tpush rax\n\tret\n%s:\n", l, l
		else if (kind == 9) printf "\tlea rdi, [rel buffer]\n\tmov ecx, %d\n\trep stosb\n", 1 + roll(8)
		else if (kind == 10 && !roll(4)) print "\tmov eax, 39\n\tsyscall"
		else if (kind == 11) printf "\tcall %s\n%s:\n\tpop rax\n", l, l
		else if (kind == 12) { condition(); printf "\tjc %s\n\tjmp %s\n%s:\n\tnop\n%s:\n", l, m, l, m }
		else printf "\tmov [rel buffer + 4096 * %d], rbx\n", roll(16)
	}
	BEGIN {
		srand(seed)
		print "bits 64\nglobal _start\nsection .bss\nalign 4096\nbuffer: resb 4096 * 16\nsection .text\nleaf: ret"
		for (f = 0; f < functions; f++) {
			printf "f%d:\n", f
			for (n = 3 + roll(6); n > 0; n--)
				item(f)
			print "\tret"
		}
		print "_start:\n\tmov rbx, 0x123456789"
		for (f = 0; f < functions; f++)
			printf "\tcall f%d\n", f
		print "\tmov eax, 231\n\txor edi, edi\n\tsyscall"
	}' >"$scratch/program.asm"
nasm -f elf64 "$scratch/program.asm" -o "$scratch/program.o" && ld -static "$scratch/program.o" -o "$scratch/program"

# addresses NAME OPTIONS: records a run, and lists the addresses of its instructions.
addresses() {
	name=$1
	shift
	barepmu record -q "$@" -o "$scratch/$name.data" -- "$scratch/program"
	is "$status" 0 "$name, seed $seed: recorded"
	barepmu trace --instructions --input "$scratch/$name.data" -o "$scratch/$name.list"
	is "$(grep -c gaps "$scratch/stderr")" 0 "$name: no gap"
	awk '/: / && !/^#/ { print $2 }' "$scratch/$name.list" >"$scratch/$name.addresses"
}
addresses simulated -e intel_pt//u
addresses stepped -e intel_pt//u --exact
addresses times -e intel_pt/cyc,noretcomp,mtc=0/u
barepmu stat --exact -x, -e instructions:u -- "$scratch/program"
counted=$(grep -v '^#' "$scratch/stderr" | cut -d, -f1)
between "$counted" 3000 200000 "instructions that are counted"
is "$(wc -l <"$scratch/stepped.addresses")" "$counted" "stepped: as many instructions as are counted"
for name in simulated times; do
	cmp -s "$scratch/$name.addresses" "$scratch/stepped.addresses"
	ok $? "$name: the stepped run's instructions"
done
finish
