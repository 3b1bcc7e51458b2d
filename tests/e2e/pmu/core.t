#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --core: events are those of a simulated core, which depend on what the code does, of programs whose counts are known.
. tests/e2e/lib.sh
command -v nasm >/dev/null || skip_all "nasm is not installed"

# assemble NAME: the program on stdin.
assemble() {
	{ printf 'bits 64\nglobal _start\n%%macro leave 0\n mov eax, 231\n xor edi, edi\n syscall\n%%endmacro\n' && cat; } \
		>"$scratch/$1.asm"
	nasm -f elf64 "$scratch/$1.asm" -o "$scratch/$1.o" && ld -static "$scratch/$1.o" -o "$scratch/$1"
}

# count PROGRAM EVENTS [OPTION...]: the values, one behind the other.
count() {
	program=$1 events=$2
	shift 2
	barepmu stat -x, -e "$events" "$@" -- "$scratch/$program"
	grep -v '^#' "$scratch/stderr" | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//'
}

# 50 pages that are touched first (each store faults once), 20 CPUIDs (the visor's), 3 repeated string instructions,
# 2 of no round among them, stores that fault behind a load that does not.
assemble known <<'END'
section .bss
align 4096
buffer: resb 4096 * 64
section .text
_start:
	mov ecx, 50
	lea rsi, [rel buffer]
touch:
	mov qword [rsi], 1
	add rsi, 4096
	dec ecx
	jnz touch
	mov r8d, 20
ask:
	mov eax, 1
	xor ecx, ecx
	cpuid
	dec r8d
	jnz ask
	lea rdi, [rel buffer]
	mov ecx, 5000
	xor eax, eax
	rep stosb
	rep stosb
	xor ecx, ecx
	rep movsb
	add dword [rel buffer + 4096 * 60], 1
	call [rel pointer]
	leave
leaf:
	ret
section .data
pointer: dq leaf
END
# 2 + 50 * 4; 1 + 20 * 5; 3 + 2 + 1 + 1; 1; 2; 3
is "$(count known instructions:u,branches:u --core skylake)" "$((202 + 101 + 7 + 1 + 2 + 3)) $((50 + 20 + 2 + 1))" \
	"instructions and branches of a known program"
has "$scratch/stderr" "^# PMU: intel-v4, emulated; core: skylake \(simulated\)" "the answer names the core"
for pmu in intel-v2 amd-v2; do
	is "$(count known instructions:u,branches:u --pmu $pmu --core zen2,l1d=16K/4)" "316 73" \
		"$pmu: another core counts them alike"
done

# The high bit of a linear congruential generator: a branch that nobody predicts, or none at all.
assemble random <<'END'
_start:
	mov ecx, 100000
	mov eax, 1
next:
	imul eax, eax, 1664525
	add eax, 1013904223
	test eax, eax
flip:
	js skip
	nop
skip:
	dec ecx
turn:
	jnz next
	leave
END
sed 's/js skip/jmp skip/' "$scratch/random.asm" >"$scratch/sure.asm"
nasm -f elf64 "$scratch/sure.asm" -o "$scratch/sure.o" && ld -static "$scratch/sure.o" -o "$scratch/sure"
between "$(count random branch-misses:u --core skylake)" 45000 55000 "half of the random branches are mispredicted"
between "$(count sure branch-misses:u --core skylake)" 0 100 "none of the sure ones"

# Reference cycles are the core's own at one ratio, 85 in 100 on a Skylake.
set -- $(count random cycles:u,ref-cycles:u --core skylake)
between "$2" $(($1 * 85 / 100 - 100)) $(($1 * 85 / 100 + 100)) "reference cycles: the core's nominal ratio"

# Sampled by what only the core knows each sample has all its branches, of which the program has two.
address() {
	nm "$scratch/random" | sed -n "s/^0*\([0-9a-f]*\) t $1\$/0x\1/p"
}
if command -v perf >/dev/null; then
	barepmu record -b -e branch-misses:u -c 500 --core skylake -o "$scratch/perf.data" -- "$scratch/random"
	perf script -f -i "$scratch/perf.data" -F brstack 2>/dev/null | sed 1d >"$scratch/stacks"
	between "$(wc -l <"$scratch/stacks")" 80 120 "a sample each 500 mispredictions"
	is "$(awk '{ print NF }' "$scratch/stacks" | sort -u)" 32 "with 32 branches"
	is "$(tr ' ' '\n' <"$scratch/stacks" | sed -nE 's#(0x[0-9a-f]+/0x[0-9a-f]+)/.*#\1#p' | sort -u | tr '\n' ' ')" \
		"$(address flip)/$(address skip) $(address turn)/$(address next) " "of the program's two"
else
	ok 0 "perf is not installed # SKIP"
fi

# A line in eight of 32 KiB, which stay in L1D, or of 4 MiB, which do not: 100,000 loads.
assemble walk <<'END'
%ifndef BYTES
%define BYTES 4096
%endif
section .bss
align 4096
buffer: resb BYTES
section .text
_start:
	lea rsi, [rel buffer]
	mov ecx, BYTES / 4096
page: ; else all are the kernel's page of zeros
	mov [rsi], rsi
	add rsi, 4096
	dec ecx
	jnz page
	mov ecx, 100000
	xor eax, eax
	lea rsi, [rel buffer]
next:
	mov rdx, [rsi + rax]
	add eax, 64 * 7
	and eax, BYTES - 1
	dec ecx
	jnz next
	leave
END
for bytes in 16384 4194304; do
	nasm -DBYTES=$bytes -f elf64 "$scratch/walk.asm" -o "$scratch/w.o" && ld -static "$scratch/w.o" -o "$scratch/walk"
	set -- $(count walk r08d1:u,L1-dcache-loads:u --core skylake,prefetch=off)
	is "$2" 100000 "$bytes bytes: loads"
	[ $bytes = 16384 ] && between "$1" 0 300 "they stay in L1D" || between "$1" 99000 100100 "each misses L1D"
done

# Bad strings: one line that names the word and what is possible.
for bad in nothing skylake,l1d=3 skylake,colour=red; do
	barepmu run --core $bad -- "$scratch/known"
	is $status 125 "--core $bad: status"
	one_line "--core $bad"
done
barepmu run --core help
is $status 0 "--core help: status"
has "$scratch/stdout" '^skylake +' "--core help lists the cores"
barepmu stat -e branches --core none -- "$scratch/known"
has "$scratch/stderr" "PMU: intel-v4, emulated: .* a model's" "--core none: the answer says that counts are shares"

# Nobody asks: the processor's own core, or what the environment says.
unset BAREPMU_CORE
for pair in intel-v4/skylake amd-v2/zen4 intel-hybrid/golden-cove; do
	barepmu stat --pmu ${pair%/*} -e instructions -- "$scratch/known"
	has "$scratch/stderr" "PMU: ${pair%/*}, emulated; core: ${pair#*/} \\(simulated\\)\$" "$pair without being asked for"
done
BAREPMU_CORE=nehalem barepmu stat -e instructions -- "$scratch/known"
has "$scratch/stderr" 'core: nehalem \(simulated\)$' "BAREPMU_CORE=nehalem"
BAREPMU_CORE=nothing barepmu run -- "$scratch/known"
is $status 125 "BAREPMU_CORE=nothing: status"
one_line "BAREPMU_CORE=nothing"
barepmu stat --exact -e instructions -- spin 10
has "$scratch/stderr" "PMU: intel-v4, emulated: .* a model's" "--exact: no core, unless it is asked for"

# Each event's profile names the function that is made of it.
first() {
	barepmu record -e "$1" -c "$2" -o "$scratch/perf.data" -- kinds 2
	"$BUILD/apps/report" -i "$scratch/perf.data" | awk '$1 ~ /%$/ { print $NF; exit }'
}
is "$(first cycles:u 20011)" branches "cycles go to where branches are mispredicted"
is "$(first LLC-loads:u 101)" chase "second-level misses are the chase's"
is "$(first branch-misses:u 499)" branches "mispredicted branches are those of chance"
finish
