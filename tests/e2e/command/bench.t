#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `bench`: figures of known code on a simulated core, each option, code that ends abnormally, and refusals.
. tests/e2e/lib.sh
command -v nasm >/dev/null || skip_all "nasm is not installed"

bench() {
	barepmu bench --core skylake "$@"
}

# coreless WORD...: what is not about a core, in half the time.
coreless() {
	barepmu bench --core none "$@"
}

# column N CODE: a field of the CSV line of this code (2: the first event's value, then low and high of each).
column() {
	grep -F "\"$2\"," "$scratch/stdout" | head -1 | sed 's/^"[^"]*",//' | cut -d, -f"$(($1 - 1))"
}

# known CODE CYCLES INSTRUCTIONS: 200 runs of the simulated core are equal.
known() {
	is "$(column 2 "$1") $(column 5 "$1")" "$2.0000 $3.0000" "$1: cycles, instructions"
	is "$(column 8 "$1") $(column 9 "$1")" "200 200" "$1: 200 of 200 runs are equal"
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

# The examples of nanoBench's README: 2.00 cycles, and 4.00.
bench --csv --init "mov RAX, R14; sub RAX, 8; mov [RAX], RAX" --asm "mov RAX, [RAX]" \
	--asm "ADD RAX, RBX; add RBX, RAX" \
	--asm '|3;|15' --asm 'mov RBX, qword ptr [R14]'
is "$(column 2 'ADD RAX, RBX; add RBX, RAX')" "2.0000" "nanoBench's first example"
between "$(column 2 'mov RAX, [RAX]')" 3.98 4.02 "nanoBench's second example"
is "$(column 5 '|3;|15') $(column 5 'mov RBX, qword ptr [R14]')" "2.0000 1.0000" "nanoBench's NOPs, and PTR"

# Counts of the events UOPS_ISSUED, UOPS_EXECUTED, MEM_LOAD_RETIRED.L1_HIT and L1_MISS.
bench --csv -e instructions,r010e,r01b1,r01d1,r08d1 --unroll 1000 --mean \
	--init "mov RAX, R14; sub RAX, 8; mov [RAX], RAX" --asm "mov RAX, [RAX]" --asm "ADD RAX, RBX; add RBX, RAX"
# rounded CODE COLUMN...
rounded() {
	rounded=$1
	shift
	for place; do
		column "$place" "$rounded"
	done | awk '{ printf "%.2f ", ($1 < 0 && $1 > -0.005) ? 0 : $1 }'
}
is "$(rounded 'ADD RAX, RBX; add RBX, RAX' 2 8 11 14)" "2.00 2.00 0.00 0.00 " "nanoBench's first example: events"
is "$(rounded 'mov RAX, [RAX]' 2 8 11 14)" "1.00 1.00 1.00 0.00 " "nanoBench's second example: events"
# Micro-operations that were issued before the first reading but counted after it are missing.
between "$(column 5 'ADD RAX, RBX; add RBX, RAX')" 1.9 2.1 "two micro-operations are issued"

# And micro-operations by port: an addition goes to each of four, a load to each of two.
bench --csv --events r01a1,r02a1,r20a1,r40a1,r04a1,r08a1,r10a1,r80a1 --unroll 1000 --mean \
	--init "mov RAX, R14; sub RAX, 8; mov [RAX], RAX" --asm "mov RAX, [RAX]" --asm "ADD RAX, RBX; add RBX, RAX"
is "$(rounded 'ADD RAX, RBX; add RBX, RAX' 2 5 8 11 14 17 20 23)" "0.50 0.50 0.50 0.50 0.00 0.00 0.00 0.00 " \
	"nanoBench's first example: ports"
is "$(rounded 'mov RAX, [RAX]' 2 5 8 11 14 17 20 23)" "0.00 0.00 0.00 0.00 0.50 0.50 0.00 0.00 " \
	"nanoBench's second example: ports"

# The events above by the names of the configuration file.
if ldconfig -p | grep -q libpfm.so.4; then
	bench --csv --events INST_RETIRED.ANY_P,UOPS_EXECUTED.THREAD:u,MEM_LOAD_RETIRED.L1_HIT --unroll 1000 --mean \
		--init "mov [R14], R14" --asm "mov R14, [R14]"
	has "$scratch/stdout" '^code,INST_RETIRED.ANY_P,.*,UOPS_EXECUTED.THREAD:u,.*,MEM_LOAD_RETIRED.L1_HIT,' \
		"events by the vendor's names: shown as typed"
	is "$(rounded 'mov R14, [R14]' 2 5 8)" "1.00 1.00 1.00 " "events by the vendor's names: one each"
	coreless --asm nop --events MEM_LOAD_RETIRED.L1_HITS
	is "$status $(cat "$scratch/stderr")" "125 barepmu: unknown event 'MEM_LOAD_RETIRED.L1_HITS': \
did you mean 'MEM_LOAD_RETIRED.L1_HIT'?" "the nearest of the vendor's names"
else
	skip "libpfm4 is not installed"
fi

# Privileged code.
bench --ring 0 --csv --events instructions --asm wbinvd --asm 'mov ecx, 0c0000080h; rdmsr; wrmsr' \
	--asm 'invlpg [r14]; cli; mov rax, cr3; mov cr3, rax'
is "$status $(grep -v '^[#c]' "$scratch/stdout" | cut -d'"' -f3 | cut -d, -f2 | tr '\n' ' ')" \
	"0 1.0000 3.0000 4.0000 " \
	"WBINVD, RDMSR, WRMSR, INVLPG, CLI, CR3"

# Instructions that the visor executes take the core's time, with other instructions in their block or without.
bench --ring 0 --csv --events cycles --init 'mov ecx, 0c1h; xor eax, eax; xor edx, edx' --asm wrmsr --asm 'nop; wrmsr' \
	--asm cpuid --asm rdmsr --asm rdtsc --asm 'xor ecx, ecx; rdpmc'
# Their latencies of the core's table (timings_skylake.c): the microcode of one after that of another.
between "$(column 2 rdtsc)" 24.9 25.1 "RDTSC"
between "$(column 2 'xor ecx, ecx; rdpmc')" 35.9 37.1 "RDPMC"
between "$(column 2 rdmsr)" 109 111 "RDMSR of a counter"
between "$(column 2 wrmsr)" 179 181 "WRMSR of a counter"
between "$(column 2 'nop; wrmsr')" 179 181 "WRMSR of a counter after a NOP"
between "$(column 2 cpuid)" 99 102 "CPUID"

# value EVENT: of the only code, by the table.
value() {
	awk -v event="$1" '$2 == event { print $1 }' "$scratch/stdout"
}

printf '\110\213\011' >"$scratch/chase.bin"                # mov rcx, [rcx]
printf '\115\211\066\114\211\361' >"$scratch/begin.bin" # mov [r14], r14; mov rcx, r14

# Each option, by its effect. Nothing is subtracted with --basic: the readings are in the result.
cat >"$scratch/code.asm" <<'END'
; in a file, a semicolon is nasm's: dec rbx
	dec rbx ; dec rbx
%rep 2
	nop
%endrep
END
coreless --asm 'dec rbx' --asm "@$scratch/code.asm" --loop 50 --unroll 4 --events instructions --csv
is "$(column 2 'dec rbx')" 1.0000 "--loop: its own instructions are subtracted"
is "$(column 2 "@$scratch/code.asm")" 3.0000 "--asm @FILE: nasm's rules"
coreless --asm nop --basic --events instructions
between "$(value instructions)" 1.05 2.50 "--basic: the readings are in it"
has "$scratch/stdout" 'overhead not subtracted' "--basic: the verdict says so"
coreless --asm nop --min --runs 3 --warm-up 0 --unroll 10 --json
has "$scratch/stdout" '^\{"pmu": "skylake.*"ring": 3, "unroll": 10, "loop": 0, "runs": 3\}$' "--json: what was asked"
figures='"value": 1.0000, "low": 1.0000, "high": 1.0000, "equal": 3, "class": "exact"'
has "$scratch/stdout" "\"instructions\": \{$figures\}" "--json: figures"
has "$scratch/stdout" '"valid": (true|false), "verdict": "' "--json: the verdict"
for how in --median --mean; do
	bench --asm 'imul rax, rax' $how
	is "$(value cycles)" 3.00 "$how"
	has "$scratch/stdout" "runs after 5, ${how#--}\$" "$how is named"
done
bench --asm 'mov rax, [r14]' --events instructions,cycles,branches,branch-misses,r08d1,r10d1,r20d1,L1-dcache-loads,r01d1
is "$(value L1-dcache-loads) $(value branches)" "1.00 0.00" "more events than counters"
has "$scratch/stdout" '9 events in [23] passes' "are counted in passes"
coreless --range X=1..5:2 --asm 'times X nop' --events instructions --csv --plot "$scratch/sweep.svg"
is "$(column 2 X=1) $(column 2 X=3) $(column 2 X=5)" "1.0000 3.0000 5.0000" "--range"
has "$scratch/sweep.svg" '<polyline .*points="[0-9]+\.[0-9],' "--plot: a line"
has "$scratch/sweep.svg" '>5: 5</title>' "--plot: its last point"
ok "$([ ! -e "$scratch/sweep.svg.data" ])$?" "--plot leaves nothing else"
coreless --asm 'mov eax, 1<<3' --asm "mov ebx, '<&>'" --asm 'mov ecx, ">"' --plot "$scratch/marks.svg"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/marks.svg"
is $? 0 "--plot: code with marks of XML is read by an XML parser"
coreless --range X=1..3 --asm 'times X nop' --asm 'times X imul rax, rax' --plot "$scratch/sweep.svg"
is "$(grep -c '<polyline' "$scratch/sweep.svg") $(grep -c '<circle' "$scratch/sweep.svg")" "4 12" \
	"--plot of two codes: each has its lines"
has "$scratch/sweep.svg" 'instance: \(1\) times X nop, \(2\) times X imul rax, rax;' \
	"--plot of two codes: the legend names both"
coreless --memory 64K,aligned --asm 'mov rax, r14; and eax, 0ffffh; mov rbx, [r14 + 0fff8h]; div rcx' \
	--init 'mov ecx, 0' --ring 0
has "$scratch/stderr" 'rax 0{16}' "--memory: aligned to its size"
has "$scratch/stderr" 'vector 0 \(divide error\)' "--memory: all of it is there"
coreless --memory 3M,huge --init 'mov rcx, r14' --asm 'mov byte [rcx], 1; sub rcx, 14000; nop' --events instructions
is "$status $(value instructions)" "0 3.00" "--memory: huge pages, both halves of them"
coreless --memory 1G,aligned,huge=1G --init 'mov rcx, r14' --asm 'mov byte [rcx + 3fffffffh], 1; nop' \
	--events instructions
is "$status $(value instructions)" "0 2.00" "--memory: a huge page of 1 GiB, its last byte"
bench tlb --memory 64K,huge --csv
is "$(column 2 16)" "4.0000" "tlb, in huge pages"
# cold OPTIONS WANTED: misses of one load: first-level cache, memory, TLB; and of its code's.
cold() {
	# shellcheck disable=SC2086 # words
	bench $1 --basic --unroll 1 --runs 5 --csv --asm 'mov rax, [r14]' \
		--events r08d1:u,r20d1:u,dTLB-load-misses:u,L1-icache-load-misses:u
	load='mov rax, [r14]'
	is "$(column 2 "$load") $(column 5 "$load") $(column 8 "$load") $(column 11 "$load")" "$2" \
		"what is cold with '$1'"
}
cold "" "0.0000 0.0000 0.0000 0.0000"
cold "--flush" "1.0000 1.0000 0.0000 0.0000"
cold "--cold tlb" "1.0000 0.0000 1.0000 0.0000"
cold "--cold i" "0.0000 0.0000 0.0000 1.0000"
cold "--cold d" "1.0000 1.0000 1.0000 1.0000"
# The harness's data are one line between two readings of a counter: set 0 of L1D's 64, or that of --harness-offset.
# Code that has filled the 8 ways of a set reads them again: with the harness in this set they are 9 lines in 8 ways.
# colliding HARNESS CODE: misses of 8 loads of the set at offset CODE of a page.
colliding() {
	bench --harness-offset "$1" --prefetch off --basic --unroll 1 --runs 3 --events r08d1:u \
		--init "%rep 4; %assign N 0; %rep 8; mov rax, [r14 + $2 + N]; %assign N N+4096; %endrep; %endrep" \
		--asm "%assign N 0; %rep 8; mov rax, [r14 + $2 + N]; %assign N N+4096; %endrep"
	value r08d1:u
}
is "$(colliding 0 2048) $(colliding 2048 0)" "0.00 0.00" "the harness in another set: no load misses"
between "$(colliding 0 0)" 1 8 "the harness in set 0: of 9 lines in 8 ways one misses"
between "$(colliding 2048 2048)" 1 8 "--harness-offset 2048: and in set 32"
bench -v --harness-offset 4032 --loop 3 --unroll 1 --basic --asm nop --events cycles,instructions,branches
# 32 bytes and 3 times 16 are two lines: the last of this page, and the first of the next. Two readings of as much code.
has "$scratch/stderr" '^harness: data in L1D sets 63 and 0 of 64, code at .*, its branch at page offset 0x...$' \
	"-v: the harness's sets and its branch"
# The branch comes after the NOP and the 3 bytes of DEC, and its 6 bytes come before the second reading.
is "$(sed -nE 's/^harness: .* and (0x[0-9a-f]+) to .*(0x[0-9a-f]+)$/\1 - \2/p' "$scratch/stderr" | \
	while read -r difference; do eval "echo \$(($difference))"; done)" 6 "-v: six bytes of a branch"
branches='xor eax, eax
%rep 64
jz short $+3
nop
%endrep'
bench --basic --unroll 1 --events branch-misses:u --asm "$branches"
is "$(value branch-misses:u)" 0.00 "branches that are known"
bench --cold branch --basic --unroll 1 --events branch-misses:u --asm "$branches"
between "$(value branch-misses:u)" 2 40 "--cold branch: some are not"
coreless --timeout 1 --unroll 1 --asm 'X: jmp X'
is $status 124 "code that never ends: the time limit"
coreless --cpu 1 --asm nop
has "$scratch/stderr" '^bench: --cpu 1: this machine has no such processor' "--cpu that is not there"
# The pages that are called between two readings are mapped, wherever arguments and environment put the stack.
for bytes in 1 1400 2800; do
	bench --smp 2 --cpu 1 --env "PAD=$(printf "%0${bytes}d" 0)" --events cycles,instructions,branches,r01d1 --asm nop
	has "$scratch/stdout" '^verdict: valid' "no page fault of its own with $bytes bytes on the stack"
done
# Ten instructions more where CPUID's number of the processor is not 0.
for cpu in 0 1; do
	bench --smp 2 --cpu $cpu --prefetch on --events instructions \
		--asm 'mov eax, 1; cpuid; shr ebx, 24; jz short $+12; times 10 nop'
	is "$status $(value instructions)" "0 $((4 + 10 * cpu)).00" "--cpu $cpu of two"
done
# One line after the other through 1 MiB, by events of Skylake: without prefetching each load misses L2.
for prefetch in on off; do
	bench --prefetch $prefetch --memory 4M,aligned --init 'mov rsi, r14' --loop 160 --unroll 100 --runs 3 --warm-up 1 \
		--events r10d1 --csv --asm 'mov rax, [rsi]; add rsi, 64'
	case $prefetch in
	on) between "$(column 2 'mov rax, [rsi]; add rsi, 64')" 0 0.3 "--prefetch on: lines are there" ;;
	off) between "$(column 2 'mov rax, [rsi]; add rsi, 64')" 0.95 1.05 "--prefetch off: each line is missed" ;;
	esac
done

# Doubtful figures: the code sleeps, loses a page and touches it, does more in each run.
bench --basic --unroll 1 --csv --asm 'mov eax, 7; xor edi, edi; xor esi, esi; mov edx, 1; syscall' \
	--asm 'lea rdi, [r14 + 4096]; and rdi, -4096; mov [rdi], al; mov esi, 4096; mov edx, 4; mov eax, 28; syscall' \
	--asm 'inc dword [r14]; imul eax, [r14], 1000; X: dec eax; jnz X'
has "$scratch/stdout" '^"mov eax, 7;.*"not valid: a counter wrapped, [0-9]+ interrupts' \
	"interrupts, and a counter that went on elsewhere"
has "$scratch/stdout" '^"lea rdi.*"not valid: (.*, )?11 page faults' "page faults: of ten runs and the last warm-up"
has "$scratch/stdout" '^"inc dword.*"not valid: (.*, )?half of the runs differ by more than 2 % in cycles' \
	"runs that differ"
# A fault marks its row, and the others are measured.
barepmu bench --csv --asm 'add rax, rbx' --asm ud2 --asm 'imul rax, rax' --plot "$scratch/fault.svg"
is "$status $(awk -F, 'NR > 2 { print $1 $NF }' "$scratch/stdout" | grep -c fault)" "125 1" \
	"a fault among others: its row"
has "$scratch/stdout" '^"ud2",,.*,"fault: invalid opcode"$' "a fault among others: what it says"
is "$(wc -l <"$scratch/stdout")" 5 "a fault among others: the others are there"
has "$scratch/stderr" '^ud2: ended by vector 6 ' "a fault among others: its registers are on stderr"
is "$(grep -c '<title>' "$scratch/fault.svg") $(grep -c '>?</text>' "$scratch/fault.svg")" "4 1" \
	"a fault among others: bars of the others, a question mark for it"

barepmu run --add "$scratch/chase.bin:/chase" --add "$scratch/begin.bin:/begin" \
	-- record -a -e branches:u -c 500 -o /tmp/nmis -- bench --code /chase --init-code /begin --csv
has "$scratch/stdout" '"not valid: (.*, )?[0-9]+ NMIs' "NMIs, of somebody who samples"

# The suites show the core's numbers: 32 KiB of L1D at 4 cycles, 64 entries of the first TLB and 9 cycles to the second.
bench memory --memory 64K --csv --plot "$scratch/memory.svg"
is "$(column 2 4K) $(column 2 16K) $(column 3 16K) $(column 4 16K)" "4.0000 4.0000 4.0000 32.0000" "memory: L1D"
# At best half of 64 KiB is in L1D, at worst each line comes from L2, in 12 cycles.
between "$(column 2 64K)" 8 12 "memory: beyond it"
is "$(grep -c '<polyline' "$scratch/memory.svg")" 3 "memory: three lines"
# Each run begins with empty caches: even what is exactly as large as the last level, and leaves no room for any other
# line, finds it as the run before did. Without prefetchers, since what they have learned survives. On other cores:
# suites.t.
barepmu bench memory --core skylake,l2=32K/4,l3=128K/16,prefetch=off --memory 128K --csv
has "$scratch/stdout" '^# verdict: valid: 4 of 4 runs equal, simulated: cycles$' "memory: as much as the last level has"
barepmu bench memory --core skylake,l2=32K/4 --memory 128K --csv
# The prefetchers bring lines to L2.
between "$(column 3 128K)" 4 12 "memory: in a row no load of a chain is faster than L1D"
bench tlb --memory 512K --csv
is "$(column 2 64) $(column 2 128)" "4.0000 13.0000" "tlb: the first level, and the second"
bench branches --csv
between "$(column 2 64)" 0.9 1.3 "branches: jumps that are known"
# The BTB has 4,096 entries; that many jumps, 16 bytes apart, are more than L1I holds.
between "$(column 2 2048)" 0.9 1.1 "branches: a BTB full of them"
between "$(column 2 8192)" 7 10 "branches: more than it holds"
worse=$(awk -F, '/^"/ { n += $2 < last - 0.1; last = $2 } END { print n + 0 }' "$scratch/stdout")
is "$worse" 0 "branches: more jumps are never known better"
between "$(column 3 16)" -0.01 0.05 "branches: a short pattern is learnt"
between "$(column 3 16384)" 0.3 0.6 "branches: a long one is not"
bench syscalls --csv
between "$(column 3 getppid)" 30 120 "syscalls: instructions of getppid"
bench instructions --csv --plot "$scratch/instructions.svg"
# QEMU 10 cuts these blocks elsewhere: 0.17% more.
is "$(column 2 'IMUL (R64, R64)')" "3.0000" "instructions: latency of IMUL"
between "$(column 3 'IMUL (R64, R64)')" 1 1.002 "instructions: throughput of IMUL"
is "$(column 2 'ADD_01 (R64, R64)') $(column 3 'ADD_01 (R64, R64)')" "1.0000 0.2500" "instructions: ADD"
is "$(column 2 'MOV (R64, M64)') $(column 3 'MOV (R64, M64)')" "4.0000 0.5000" "instructions: a load"
between "$(grep -c '<rect' "$scratch/instructions.svg")" 56 70 "instructions: bars"
# packaging/contrib/uops.info on a file of uops.info's form with published values of Skylake.
{
	echo '<root><extension name="BASE">'
	while IFS='|' read -r name latency throughput; do
		printf '<instruction asm="X" string="%s"><operand idx="1"/><architecture name="HSW"><measurement TP_unrolled="9">
			<latency cycles="9"/></measurement></architecture><architecture name="SKL"><measurement TP_loop="%s"
			TP_unrolled="%s" uops="1"><latency start_op="1" target_op="1" %s/><latency start_op="2" target_op="1" min_cycles="0"
			max_cycles="1"/></measurement></architecture></instruction>\n' "$name" "$throughput" "$throughput" "$latency"
	done <<'END'
ADD_01 (R64, R64)|cycles="1"|0.25
ADD_03 (R64, R64)|cycles="7"|7.00
SUB_29 (R64, R64)|cycles="1"|0.25
XOR_31 (R64, R64)|cycles="1"|0.25
LEA_B_D8 (R64)|cycles="1"|0.50
SHL (R64, I8)|cycles="1"|0.50
ADC_11 (R64, R64)|cycles="1"|1.00
IMUL (R64, R64)|cycles="3"|1.00
POPCNT (R64, R64)|cycles="3"|1.00
MOV (R64, M64)|cycles_addr="4" cycles_addr_is_upper_bound="1"|0.50
ADDPS (XMM, XMM)|cycles="4"|0.50
PMULLD (XMM, XMM)|min_cycles="8" max_cycles="10"|1.00
PSHUFB (XMM, XMM)|cycles="1"|1.00
END
	echo '</extension></root>'
} >"$scratch/instructions.xml"
python3 packaging/contrib/uops.info/join.py --svg "$scratch/beside.svg" "$scratch/instructions.xml" SKL \
	"$scratch/stdout" >"$scratch/joined"
is "$(grep -c '	?	?	?	?$' "$scratch/joined") $(grep -vc '	?	?	?	?$' "$scratch/joined")" "16 12" \
	"instructions: they join uops.info's"
is "$(awk -F'\t' '$4 != "?" && ($2 != $4 || ($3 - $5) ^ 2 > 0.0001 || $6 != "+0.0%")' "$scratch/joined")" "" \
	"instructions: cycles equal uops.info's"
is "$(grep -c ">[+-][0-4]%<" "$scratch/beside.svg") $(grep -c ">?<" "$scratch/beside.svg")" "24 32" \
	"instructions: a picture of the differences"
printf '%s\n' 'imul r64+, r64' 'pshufb x+, x' 'mov m64=, r64' 'add r64+, r64' >"$scratch/forms"
bench instructions --list "$scratch/forms" --ports --csv --plot "$scratch/ports.svg"
has "$scratch/stdout" '^instruction,latency,throughput,p0,p1,p2,p3,p4,p5,p6,p7$' \
	"instructions --ports: a column for each port"
# QEMU 7.2 and 10 cut the code into other blocks: the first round of 576 copies takes 3 cycles more or less, and
# a store of the harness's own another port.
one='(0.99|1.00)[0-9]+'
has "$scratch/stdout" "^\"IMUL \(R64, R64\).*,3.0000,$one,0.0000,$one(,0.0000){6}\$" \
	"instructions --ports: IMUL on port 1"
has "$scratch/stdout" "^\"PSHUFB \(XMM, XMM\).*,1.00[0-9]+,$one(,-?0.00[0-9]+){5},$one(,-?0.00[0-9]+){2}\$" \
	"instructions --ports: PSHUFB on port 5"
is "$(grep -c 'fill="rgb' "$scratch/ports.svg")" "$(($(grep -c '^"' "$scratch/stdout") * 10))" \
	"instructions --ports: a heat map"
# A row's latency is that of its pair of operands, above 3 and at most 1 cycles; ADD_01 is nasm's choice of two.
is "$(python3 packaging/contrib/uops.info/join.py "$scratch/instructions.xml" SKL "$scratch/stdout" |
	awk -F'\t' '/^(IMUL|ADD)/ { print $4, $6 }' | tr '\n' ' ')" \
	"3.0 +0.0% 1.0 +200.0% 1.0 +0.0% 1.0 +0.0% " "instructions --list: rows join uops.info's by their operands"
barepmu bench cores --core skylake --smp 2 --csv --plot "$scratch/cores.svg"
is "$(column 2 0) $(column 3 1)" "0.0000 0.0000" "cores: nothing to itself"
for cycles in "$(column 3 0)" "$(column 2 1)"; do # Skylake's 84, and at most one STLB hit, 9 cycles, in the 8 loads
	between "$(echo "$cycles" | tr -d .)" 840000 851250 "cores: what the other has changed"
done
is "$(grep -c 'fill="rgb' "$scratch/cores.svg")" 4 "cores: a heat map"
has "$scratch/stdout" '^# verdict: valid: .*4 of 4 runs equal, simulated: cycles$' "cores: valid"
coreless cores
has "$scratch/stderr" '^bench: cores wants more than one processor: --smp N$' "cores of one processor"

# Machine code, object files, archives.
bench --code "$scratch/chase.bin" --init-code "$scratch/begin.bin"
is "$(value cycles) $(value instructions)" "4.00 1.00" "--code, --init-code: machine code"
cat >"$scratch/f.c" <<'END'
static int table[4] = {1, 2, 3, 4};
int other(int);
int f(void) { return other(table[1]); }
END
echo 'int other(int x) { return x + 1; } int unused(void) { extern int nowhere; return nowhere; }' >"$scratch/g.c"
gcc -O2 -ffunction-sections -c -o "$scratch/f.o" "$scratch/f.c" && gcc -O2 -c -o "$scratch/g.o" "$scratch/g.c"
ar rc "$scratch/f.a" "$scratch/f.o" "$scratch/g.o" 2>/dev/null
echo 'int h(void) { return 7; }' | gcc -O2 -fcf-protection=none -c -o "$scratch/h.o" -x c -
coreless --code "$scratch/h.o" --call h --events instructions
is "$(value instructions)" 3.00 "--call: CALL, MOV, RET of an object file"
coreless --code "$scratch/f.o" --call f
has "$scratch/stderr" "needs 'other', which it does not define" "an object file that needs another"
cat >"$scratch/m.c" <<'END'
double sin(double);
double pow(double, double);
double f(void) { return sin(1e6) + pow(3.5, 2.5); }
END
gcc -O2 -fno-builtin -c -o "$scratch/m.o" "$scratch/m.c"
coreless --code "$scratch/m.o" --call f --events instructions -lm --tsc
between "$(value instructions)" 60 400 "-lm: functions of libm"
between "$(value tsc)" 60 400 "--tsc: ticks, with --core none one an instruction"
coreless --code "$scratch/m.o" --call f -l nowhere
has "$scratch/stderr" "-lnowhere: there is no libnowhere.a" "-l: a library that is not there"
coreless --code "$scratch/f.a" --call absent
has "$scratch/stderr" "^bench: 'f.a' defines no function 'absent'" "a function that is not there"
coreless --csv --code "$scratch/h.o" --call h --events instructions
has "$scratch/stdout" '^"h",3.0000,' "--csv --call: the line says what was measured"
coreless --csv --asm 'mov al, "\"' --asm 'mov al, "x"' --events 'instructions,cpu/event=0xc0,umask=0/'
is "$(python3 -c 'import csv, sys
for row in csv.reader(line for line in sys.stdin if line[0] != "#"):
    print(len(row), row[0], row[4])' <"$scratch/stdout")" \
	'10 code cpu/event=0xc0,umask=0/
10 mov al, "\" 1.0000
10 mov al, "x" 1.0000' "--csv: quotes and commas are as spreadsheets read them"
coreless --json --asm 'nop; nop' --events instructions
has "$scratch/stdout" '^\{"code": "nop; nop", ' "--json: and that of one piece of code"

# Code that faults: the output has the instruction, the vector and the registers; the machine continues.
for ring in 3 0; do
	coreless --ring $ring --asm 'nop
xor ebx, ebx
mov rcx, [rbx + 77h]'
	is $status 125 "ring $ring: a page fault: status"
	has "$scratch/stderr" 'vector 14 \(page fault\) at byte 3 of the code: mov rcx, \[rbx \+ 77h\]$' "the instruction"
	has "$scratch/stderr" 'rbx 0{16}$' "a register"
	has "$scratch/stderr" 'cr2 0000000000000077' "the address"
done
# Code that ends the program: by itself, by a signal that nothing catches, among others.
for number in 60 231; do
	coreless --asm "mov eax, $number; xor edi, edi; syscall"
	is $status 125 "system call $number: status"
	one_line "system call $number"
	has "$scratch/stderr" '^bench: the code ended the program, with exit status 0: there is no result$' "what it says"
done
coreless --asm nop --asm 'mov eax, 60; mov edi, 7; syscall' --asm nop
is $status 125 "code among others: status"
has "$scratch/stderr" '^bench: the code ended the program, with exit status 7' \
	"code among others: the message has its exit status"
has "$scratch/stdout" '^nop$' "what came before it has its figures"
coreless --asm 'mov eax, 39; syscall; mov edi, eax; mov esi, 9; mov eax, 62; syscall'
is $status 137 "SIGKILL by itself: status"
coreless --asm nop --init hlt # not WBINVD, which QEMU 10 executes in ring 3
has "$scratch/stderr" 'vector 13 \(general protection\) at byte 0 of --init' "in --init"

# Bad input: nasm's own message, and the other messages.
refused() {
	pattern=$1 name=$2
	shift 2
	coreless "$@"
	is $status 125 "$name: status"
	one_line "$name"
	has "$scratch/stderr" "$pattern" "$name: what it says"
}
# nasm_refuses NAME ASM: each error with its line.
nasm_refuses() {
	coreless --asm "$2"
	is $status 125 "$1: status"
	sed 's/ parser: / /' "$scratch/stderr" >"$scratch/said"
}
printf 'nop\nfrob rax\n' >"$scratch/wrong.asm"
nasm_refuses "nasm's errors" 'nop; frob rax; nop; grob rbx'
is "$(cat "$scratch/said")" "barepmu: --asm:2: error: instruction expected
barepmu:   |  frob rax
barepmu: --asm:4: error: instruction expected
barepmu:   |  grob rbx" "nasm's errors: each with line and text"
nasm_refuses "a misspelt instruction" 'nop; mfenc'
is "$(sed 's/ \[.*//' "$scratch/said")" \
	"barepmu: --asm:2: error: label alone on a line without a colon might be in error
barepmu:   |  mfenc" "a misspelt instruction: is no label"
coreless --asm 'mov al, 300' --events instructions
is "$status $(sed 's/ \[.*//' "$scratch/stderr")" "0 barepmu: --asm:1: warning: byte data exceeds bounds
barepmu:   | mov al, 300" "what nasm warns of: is told, and measured"
nasm_refuses "nasm's error in a file" "@$scratch/wrong.asm"
is "$(cat "$scratch/said")" "barepmu: $scratch/wrong.asm:2: error: instruction expected
barepmu:   | frob rax" "nasm's error in a file: line and text"
refused "$scratch/absent" "a file that is not there" --asm "@$scratch/absent"
refused "$scratch/absent" "machine code that is not there" --code "$scratch/chase.bin" --init-code "$scratch/absent"
refused "exclude each other" "--init and --init-code" \
	--code "$scratch/chase.bin" --init nop --init-code "$scratch/begin.bin"
refused "no code: there is nothing" "no code" --asm ' '
refused "unknown event 'cycels'.*cycles" "an event that does not exist" --asm nop --events cycels
refused "wants one of --asm" "nothing to measure"
refused "unknown option '--unrool'.*--unroll'" "an option" --asm nop --unrool 3
refused "unknown suite 'memry'.*'memory'" "a suite" memry
for offset in 32 4096 -64 64x; do
	refused "harness-offset wants a multiple of 64 below 4096, not '$offset'" "an offset" \
		--asm nop --harness-offset $offset
done
refused "ring wants 0 or 3, not '1'" "a ring" --asm nop --ring 1
refused "unroll wants a number" "a number" --asm nop --unroll 0
refused "range wants NAME=FIRST" "a range" --asm nop --range X=5..1
refused "neither --asm 'mov rax, XX' nor --init names X" "a range of what nothing names" \
	--asm 'mov rax, XX' --range X=1..3
refused "--csv and --json exclude each other" "two formats" --asm nop --csv --json
refused "--median and --mean exclude each other" "two choices of the runs" --asm nop --mean --median
refused "the suite 'branches' takes no --memory" "an option that a suite does not take" branches --memory 4K
refused "the suite 'memory' takes no --memory SIZE,aligned" "a word that a suite does not take" \
	memory --memory 4K,aligned
mkdir "$scratch/without"
ln -s "$(command -v qemu-system-x86_64)" "$scratch/without/"
PATH=$scratch/without "$BAREPMU" bench --asm nop 2>"$scratch/stderr"
has "$scratch/stderr" '^barepmu: bench --asm and --init need nasm: install the package nasm$' "without nasm"
one_line "without nasm"
finish
