#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processor Trace: perf, unmodified, records a program in our image and on Debian's kernel, and decodes each of its
# instructions, as many as are counted.
. tests/e2e/lib.sh
here=$PWD
command -v nasm >/dev/null || skip_all "nasm is not installed"
command -v perf >/dev/null || skip_all "perf is not installed"
unset BAREPMU_CORE

# Calls by each way, returns that skip their caller, a loop of one block, page faults, system calls, a repeated
# instruction, CPUID.
cat >"$scratch/program.asm" <<'END'
bits 64
global _start
section .bss
align 4096
buffer: resb 4096 * 40
section .text
leaf:	test edi, 3
	jz .end
	inc r13
.end:	ret
twice:	call leaf
	call leaf
	ret
skip:	add rsp, 8 ; returns to its caller's caller
	ret
outer:	call skip
	ud2
_start:	mov edi, 700
.calls:	call twice
	call outer
	lea rax, [rel leaf]
	call rax
	dec edi
	jnz .calls
	mov ecx, 3000
.spin:	dec ecx
	jnz .spin
	mov ecx, 40
	lea rsi, [rel buffer]
.touch:	mov qword [rsi], 1
	add rsi, 4096
	dec ecx
	jnz .touch
	mov r12d, 50
.calls2: mov eax, 39
	syscall
	dec r12d
	jnz .calls2
	lea rdi, [rel buffer]
	mov ecx, 10000
	rep stosb
	xor eax, eax
	cpuid
	mov eax, 231
	xor edi, edi
	syscall
END
nasm -f elf64 "$scratch/program.asm" -o "$scratch/program.o" && ld -static "$scratch/program.o" -o "$scratch/program"

barepmu stat -x, -e instructions:u -- "$scratch/program"
wanted=$(grep -v '^#' "$scratch/stderr" | cut -d, -f1)
between "$wanted" 20000 40000 "instructions that are counted"

# decoded WHAT FILE: as many as were counted, and no error.
decoded() {
	perf script -i "$2" --itrace=i1ie -F event,ip >"$scratch/script" 2>"$scratch/errors"
	is "$(grep -c 'instructions:' "$scratch/script") $(grep -c 'trace error' "$scratch/script")" "$wanted 0" \
		"$1: each instruction is decoded, without an error"
}

cd "$scratch" || exit 1
for options in "" "--exact" "--core none"; do
	# shellcheck disable=SC2086
	barepmu perf $options record -q -e intel_pt//u -o /out/perf.data ./program
	decoded "our kernel${options:+, $options}" out/perf.data
	rm -rf out
done
# Two processes that yield to each other: ten thousand switches.
cat >"$scratch/switches.asm" <<'END'
bits 64
global _start
_start:	mov eax, 57 ; fork
	syscall
	mov ebx, eax
	mov r12d, 5100
.yield:	mov eax, 24 ; sched_yield
	syscall
	dec r12d
	jnz .yield
	test ebx, ebx
	jz .end
	mov edi, -1
	xor esi, esi
	xor edx, edx
	xor r10d, r10d
	mov eax, 61 ; wait4
	syscall
.end:	xor edi, edi
	mov eax, 231
	syscall
END
nasm -f elf64 "$scratch/switches.asm" -o "$scratch/switches.o" &&
	ld -static "$scratch/switches.o" -o "$scratch/switches"
barepmu record -q -e intel_pt//u -o "$scratch/switches.data" -- "$scratch/switches"
between "$(perf script -i "$scratch/switches.data" --show-switch-events 2>/dev/null | grep -c 'SWITCH.* OUT')" \
	10000 11000 "switches of tasks that are traced"
program=$wanted
wanted=$((4 + 4 * 5100 + 2 + 6 + 3 + 2 + 4 * 5100 + 2 + 3)) # of the parent, of the child
decoded "ten thousand switches" "$scratch/switches.data"
wanted=$program

# Debian's kernel refuses intel_bts where it isolates page tables: not on a processor without Meltdown.
stock_perf
# shellcheck disable=SC2086
linux_quickly --core none --pmu ice-lake $add --add "$scratch/program:$scratch/program" \
	--env "PROGRAM=$scratch/program" \
	-- "$(readlink -f $loader)" /bin/sh -c '/perf record -q --no-bpf-event -e intel_pt//u -o /out/perf.data $PROGRAM
	/perf record -q --no-bpf-event --per-thread -e intel_bts//u -o /out/bts $PROGRAM'
decoded "Debian's kernel" out/perf.data
# Taken branches between instructions of the program: 11 in each of 700 calls, of the loops, and 525 in the leaf.
is "$(perf script -i out/bts --itrace=b -F ip,addr | grep -Evc 'ffffffff|\<0\>')" \
	$((700 * 11 + 525 + 699 + 2999 + 39 + 49)) "Debian's kernel: the branch trace store has each taken branch"
rm -rf out
barepmu perf record -q -e intel_pt/cyc,noretcomp,mtc_period=9/u -o /out/perf.data ./program
decoded "with cycles, without compressed returns" out/perf.data
rm -rf out
# Both rings: addresses of ring 3 have no leading ffffffff.
barepmu perf record -q -e intel_pt// -o /out/perf.data ./program
perf script -k "$here/build/kernel.elf" -i out/perf.data --itrace=i1ie -F event,ip \
	>"$scratch/script" 2>"$scratch/errors"
is "$(grep -c 'trace error' "$scratch/script")" 0 "our kernel's instructions: no error"
between "$(grep -c ' ffffffff8' "$scratch/script")" 10000 1000000 "our kernel's instructions are decoded"
is "$(grep 'instructions:' "$scratch/script" | grep -vc ' ffffffff8')" "$wanted" "beside the kernel's: the program's"
finish
