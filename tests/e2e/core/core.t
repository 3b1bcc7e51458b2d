#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --core: events are a simulated core's and depend on the code; checked with programs whose counts are known.
. tests/e2e/lib.sh
command -v nasm >/dev/null || skip_all "nasm is not installed"

# assemble NAME: the program on stdin.
assemble() {
	{ printf 'bits 64\nglobal _start\n%%macro leave 0\n mov eax, 231\n xor edi, edi\n syscall\n%%endmacro\n' && cat; } \
		>"$scratch/$1.asm"
	nasm -f elf64 "$scratch/$1.asm" -o "$scratch/$1.o" && ld -static "$scratch/$1.o" -o "$scratch/$1"
}

# count PROGRAM EVENTS [OPTION...]: the values, one after the other.
count() {
	program=$1 events=$2
	shift 2
	barepmu stat -x, -e "$events" "$@" -- "$scratch/$program"
	grep -v '^#' "$scratch/stderr" | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//'
}

# 50 pages that are touched first (each store faults once), 20 CPUIDs (the visor's), 3 repeated string instructions,
# 2 of no round among them, stores that fault after a load that does not.
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
has "$scratch/stderr" "^# PMU: skylake, emulated; core: skylake \(simulated; time: instructions\)\$" \
	"the answer names the core"
for pmu in intel-v2 amd-v2; do
	is "$(count known instructions:u,branches:u --pmu $pmu --core zen2,l1d=16K/4)" "316 73" \
		"$pmu: another core counts them alike"
done

# An instruction that reaches into a page which is not there yet.
assemble crossing <<'END'
_start:
	jmp edge
	times 8192 - 6 - ($ - _start) nop
edge:
	nop
	nop
	nop
	mov rax, 0x123456789abc
	nop
	leave
END
is "$(count crossing instructions:u,page-faults:u --core skylake)" "9 3" "an instruction over the border of two pages"

# The visor's call (abi/core_page.h) as any program can make it: with a page of its own, and with one outside of memory.
assemble marker <<'END'
%macro marker 1
	db 0x0f, 0x1f, 0x84, 0x00
	dd 0x5041456b
	ret
	dd %1
%endmacro
section .bss
align 4096
page: resb 65536
section .text
_start:
	call own
	call outside
	mov ecx, 1000
next:
	dec ecx
	jnz next
	leave
own:
	marker page - $
outside:
	marker 0x7fffffff
END
is "$(count marker instructions:u,branches:u --core skylake)" "$((2 + 4 + 1 + 2000 + 3)) $((4 + 1000 + 1))" \
	"the visor's marker in a program is no call"

# The high bit of a linear congruential generator: an unpredictable branch, or no branch at all.
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
inverted=cpu/event=0xe,umask=1,cmask=1,inv=1/u
counted=$(count random branch-misses:u,cycles:u,cpu/event=0xe,umask=1,cmask=1/u,$inverted,ref-cycles:u,r20c4:u \
	--core skylake)
# shellcheck disable=SC2086 # six numbers
set -- $counted
cycles=$2 taken=$6
between "$1" 45000 55000 "half of the random branches are mispredicted"
# With CMASK=1 cycles in which something issued, with INV the others: together they are all.
is $(($3 + $4)) "$2" "cycles with micro-operations issued and without"
between "$4" $(($2 / 2)) "$2" "most are spent on mispredicted branches"
# The core runs at its nominal frequency, so reference cycles are its cycles.
is "$5" "$2" "reference cycles are the core's cycles"
between "$(count sure branch-misses:u --core skylake)" 0 100 "sure branches are not mispredicted"

# Events by class, of a loop of known branches, loads, locked and split ones, and floating point; on three generations.
assemble classes <<'END'
section .bss
align 64
line: resb 256
section .text
_start:
	mov ecx, 1000
	mov dword [rel line], 0 ; its page is there
next:
	call leaf
	test ecx, ecx
	jz next
	addsd xmm0, xmm1
	addps xmm2, xmm3
	addps xmm4, xmm3
	lock inc dword [rel line]
	mov rax, [rel line + 124]
	dec ecx
	jnz next
	leave
leaf:
	ret
END
# All, not taken, calls, returns, taken, far; scalars of 64 bits, packed ones of 32, locked and split loads, loads,
# stores.
is "$(count classes r01c4:u,r10c4:u,r02c4:u,r08c4:u,r20c4:u,r40c4:u --core skylake)" "2000 1001 1000 1000 2999 1" \
	"skylake: branches by class"
is "$(count classes r01c7:u,r08c7:u,r21d0:u,r41d0:u,r81d0:u,r82d0:u --core skylake)" "1000 2000 1000 1000 3000 2001" \
	"skylake: floating point, locked loads, split loads, loads, stores"
is "$(count classes r11c4:u,r01c4:u,r10c4:u,r80c4:u,r08c7:u,r42d0:u --pmu intel-v5 --core golden-cove)" \
	"2000 999 1001 0 2000 0" \
	"golden-cove: the same"
is "$(count classes rc4:u,rc6:u,rc8:u,rd1:u --pmu amd-v2 --core zen4)" "3000 1 1000 2000" "zen4: branches by class"
is "$(count classes r0e25:u,r83:u,rcc:u,r1000000c7:u --pmu amd-v2 --core zen4,l1i=32K/8 | cut -d' ' -f1,3)" "1000 0" \
	"zen4: locked instructions, indirect branches"
# Six slots a cycle: dispatched, left empty by the front end and by the back end.
set -- $(count sure cycles:u,r7aa:u,r1000001a0:u,r100001ea0:u,r1000000c7:u --pmu amd-v2 --core zen4)
between $((($2 + $3 + $4) * 100 / (6 * $1))) 97 101 "zen4: dispatch slots"

# Top-down: the slots' shares add up, and say what a program waits for.
topdown=slots:u,topdown-retiring:u,topdown-bad-spec:u,topdown-fe-bound:u,topdown-be-bound:u
set -- $(count random $topdown --pmu intel-v5 --core golden-cove)
between $((($2 + $3 + $4 + $5) * 100 / $1)) 99 101 "top-down: four kinds of slots"
between $(($3 * 100 / $1)) 40 95 "top-down: random branches are bad speculation"

# A sample of an event that only the core knows has all its branches, of which the program has two.
address() {
	nm "$scratch/random" | sed -n "s/^0*\([0-9a-f]*\) t $1\$/0x\1/p"
}
if command -v perf >/dev/null; then
	barepmu record -b -e branch-misses:u -c 500 --core skylake -o "$scratch/perf.data" -- "$scratch/random"
	perf script -f -i "$scratch/perf.data" -F brstack 2>/dev/null | sed 1d >"$scratch/stacks"
	between "$(wc -l <"$scratch/stacks")" 80 120 "a sample each 500 mispredictions"
	is "$(awk '{ print NF }' "$scratch/stacks" | sort -u)" 32 "samples of mispredictions: 32 branches each"
	is "$(tr ' ' '\n' <"$scratch/stacks" | sed -nE 's#(0x[0-9a-f]+/0x[0-9a-f]+)/.*#\1#p' | sort -u | tr '\n' ' ')" \
		"$(address flip)/$(address skip) $(address turn)/$(address next) " \
			"samples of mispredictions: the program's two branches"
	# FROM/TO/M or P/-/-/CYCLES: half of the coin is mispredicted, none of the loop; the cycles are the counted
	# ones.
	tr ' ' '\n' <"$scratch/stacks" | awk -F/ -v coin="$(address flip)" -v cycles="$cycles" -v branches="$taken" '
		/\// { n[$1]++; wrong[$1] += $3 == "M"; sum += $6; all++ }
		END { for (from in n) print (from == coin ? "coin" : "loop"), wrong[from] * 100 / n[from]
			print "cycles", sum / all / (cycles / branches) }' >"$scratch/flags"
	between "$(sed -n 's/^coin //p' "$scratch/flags")" 40 70 "half of the coin's taken branches mispredicted"
	between "$(sed -n 's/^loop //p' "$scratch/flags")" 0 1 "the loop's branches are not mispredicted"
	between "$(sed -n 's/^cycles //p' "$scratch/flags")" 0.9 1.1 \
		"branch records: cycles between two agree with the counted ones"
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

# Several processors: counts are the core's, and so is where a period ends: 80,000 instructions or some more.
assemble rounds <<'END'
_start:
	mov ecx, 4000000
next:
	dec ecx
	jnz next
	leave
END
is "$(count rounds instructions:u,branches:u --core skylake --smp 2)" "8000004 4000001" "--smp 2: counts are exact"
barepmu record -e instructions:u -c 80000 --core skylake --smp 2 -o "$scratch/perf.data" -- "$scratch/rounds"
between "$(sed -n 's/.* \([0-9]*\) samples of .*/\1/p' "$scratch/stderr")" 98 100 "--smp 2: a sample of each period"

# They take turns: a run of four threads repeats to the cycle, in both rings, and without a PMU to the nanosecond.
# --parallel leaves them to the host's chance, which only counts alike what each thread does alone.
cat >"$scratch/turns.c" <<'END'
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum, steps;

static void *add(void *by)
{
	for (uint64_t i = 0; i < 20000; i++) {
		__atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
		if (i % 1000)
			continue;
		pthread_mutex_lock(&lock);
		sum += i * (uintptr_t)by;
		pthread_mutex_unlock(&lock);
	}
	return by;
}

int main(void)
{
	pthread_t threads[4];

	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, add, (void *)i);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return steps != 80000;
}
END
gcc -O1 -static -pthread "$scratch/turns.c" -o "$scratch/turns"
for n in 1 2; do
	barepmu stat --core skylake --smp 4 -e instructions:u,instructions:k,cycles:u,cycles:k,branch-misses,cache-misses \
		-- "$scratch/turns"
	mv "$scratch/stderr" "$scratch/turns.$n"
	BAREPMU_CORE='' barepmu run -v -v --pmu none --smp 2 -- "$scratch/turns"
	mv "$scratch/stderr" "$scratch/plain.$n"
done
has "$scratch/turns.1" ' instructions:k ' "four threads on four processors are counted"
is "$(diff "$scratch/turns.1" "$scratch/turns.2")" "" "four threads on four processors: the run repeats"
is "$(diff "$scratch/plain.1" "$scratch/plain.2")" "" "four threads on two processors, no PMU: the run repeats"
is "$(count rounds instructions:u,branches:u --core skylake --smp 2 --parallel)" "8000004 4000001" \
	"--parallel: counts are exact"

# A kernel that reads a real-time clock during its update waits. Here the host's clock, as QEMU sees it, does not
# advance, or jumps to the end of a second after LOOKS reads.
cat >"$scratch/date.c" <<'END'
#include <stdlib.h>
#include <sys/time.h>

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	static int looks;

	(void)zone;
	*now = (struct timeval){1800000000, ++looks > atoi(getenv("LOOKS")) ? 999900 : 0};
	return 0;
}
END
gcc -shared -fPIC "$scratch/date.c" -o "$scratch/date.so"
for looks in 9999 0008 0012; do
	LD_PRELOAD=$scratch/date.so LOOKS=$looks barepmu run -v -v --pmu none -- "$scratch/known"
	mv "$scratch/stderr" "$scratch/date.$looks"
done
has "$scratch/date.9999" '^\[ +0\.[0-9]+\] ' "the kernel tells the time"
is "$(diff "$scratch/date.9999" "$scratch/date.0008")" "" \
	"the kernel's log is equal at the end of one of the host's seconds"
is "$(diff "$scratch/date.9999" "$scratch/date.0012")" "" "the kernel's log is equal a little after a second's end"

# Bad strings: one line that names the bad option and the possible ones.
line='skylake,rob=1
2'
for bad in nothing skylake,l1d=3 skylake,colour=red none,rob=99 'skylake,' '' "$line"; do
	barepmu run --core "$bad" -- "$scratch/known"
	is $status 125 "--core $bad: status"
	one_line "--core $bad"
done
barepmu run --core help
is $status 0 "--core help: status"
has "$scratch/stdout" '^skylake +' "--core help lists the cores"
is "$(awk '/^[a-z].* \(.*[0-9]\)$/ { getline; n += /(Optimization .*Manual|Optimization Guide)/ } END { print n }' \
	"$scratch/stdout")" 9 "--core help: each with the manual that its figures are from"
barepmu run --core nothing -- "$scratch/known"
is "$(cat "$scratch/stderr")" \
	"barepmu: unknown core 'nothing': takes none, yonah, core2, nehalem, skylake, golden-cove, \
gracemont, k10, zen2, zen4, cachegrind" "--core nothing: what is possible"
barepmu run --core skylake,colour=red -- "$scratch/known"
has "$scratch/stderr" "^barepmu: --core: unknown term 'colour': takes l1i, l1d, .*, mispredict\$" \
	"--core ...,colour=red: the same"
barepmu stat -e branches --core none -- "$scratch/known"
has "$scratch/stderr" "PMU: skylake, emulated: .* a model's" "--core none: the answer says that counts are shares"

# Without --core: the processor's own core, or the environment's.
unset BAREPMU_CORE
# The vendors' names are known with each, which an old name chooses as well.
for names in intel-v1/core-duo/yonah/INSTRUCTION_RETIRED intel-v4/skylake/skylake/INST_RETIRED.ANY_P \
	intel-hybrid/alder-lake/golden-cove/INST_RETIRED.ANY_P amd-k7/k10/k10/RETIRED_INSTRUCTIONS \
	amd-v2/zen4/zen4/RETIRED_INSTRUCTIONS; do
	pmu=${names%%/*} name=${names##*/} core=${names%/*} processor=${names#*/}
	ldconfig -p | grep -q libpfm.so.4 || name=instructions
	[ $pmu = intel-hybrid ] && clock=cycles || clock=instructions # two processors
	barepmu stat -x, --pmu $pmu -e $name:u -- "$scratch/known"
	has "$scratch/stderr" "PMU: ${processor%%/*}, emulated; core: ${core##*/} \\(simulated; time: $clock\\)\$" \
		"$pmu without being asked for"
	is "$(awk -F, -v name=$name:u '$3 == name { print $1 }' "$scratch/stderr")" 316 "$pmu counts $name"
done
BAREPMU_CORE=nehalem barepmu stat -e instructions -- "$scratch/known"
has "$scratch/stderr" 'core: nehalem \(simulated; time: instructions\)$' "BAREPMU_CORE=nehalem"
BAREPMU_CORE=nothing barepmu run -- "$scratch/known"
is $status 125 "BAREPMU_CORE=nothing: status"
one_line "BAREPMU_CORE=nothing"
barepmu stat --exact -e instructions -- spin 10
has "$scratch/stderr" "PMU: skylake, emulated: .* a model's" "--exact: no core, unless it is asked for"

# Each event's profile names the function that is made of it.
first() {
	barepmu record -e "$1" -c "$2" -o "$scratch/perf.data" -- kinds 2
	"$BUILD/apps/report" -i "$scratch/perf.data" | awk '$1 ~ /%$/ { print $NF; exit }'
}
is "$(first cycles:u 20011)" branches "cycles go to where branches are mispredicted"
is "$(first LLC-loads:u 101)" chase "second-level misses are the chase's"
is "$(first branch-misses:u 499)" branches "mispredicted branches are those of chance"
finish
