#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The machine's clocks follow the simulated core's cycles: RDTSC measures code, in ring 3 and 0, in our kernel
# and in Debian's; a second has as many cycles as its frequency says, and as many samples.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
command -v nasm >/dev/null || skip_all "nasm is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/core/core_time.c -o "$scratch/time" || skip_all "musl-gcc fails"

# value NAME: what the last run printed.
value() {
	awk -v name="$1" '$1 == name { print $2 }' "$scratch/stdout"
}

# skylake: a load that hits has 4 to 5 cycles, L2 12, L3 44, memory 246 and its way; the multiplications are a chain of
# 3 each. RDTSC takes 25, of which a load after CPUID and RDTSC hides as many as are left when it begins.
known_times() {
	is $status 0 "$where: runs"
	between "$(value hit)" 4 5 "$where: a load that hits"
	between "$(value flushed)" 246 250 "$where: a load of a flushed line"
	is "$(value multiply)" 300 "$where: 100 multiplications"
	between "$(value serialised_hit)" 0 5 "$where: CPUID and RDTSC: a load that hits"
	between "$(value serialised_flushed)" 221 250 "$where: CPUID and RDTSC: a load of a flushed line"
	is "$(value serialised_multiply)" 300 "$where: CPUID and RDTSC: 100 multiplications"
	between "$(value ways8)" 4 4.5 "$where: eight lines of a set of L1D hit"
	between "$(value ways10)" 12 12.5 "$where: ten lines of a set of L1D miss each time"
	between "$(value chase16K)" 4 4.5 "$where: a chase in L1D"
	between "$(value chase128K)" 11 13 "$where: a chase in L2"
	between "$(value chase1M)" "$2" 50 "$where: a chase in the last level"
	between "$(value sleep)" 10000000 "$1" "$where: a sleep of 10 ms"
}

where=image
barepmu run --core skylake -- "$scratch/time"
known_times 10010000 40
cp "$scratch/stdout" "$scratch/first"
for n in 2 3 4 5; do
	barepmu run --core skylake -- "$scratch/time"
	is "$(diff "$scratch/first" "$scratch/stdout")" "" "run $n is equal to the first"
done
barepmu run --core skylake --time instructions -- "$scratch/time"
is "$(value multiply) $(value flushed)" "100 1" "--time instructions: each takes a tick"

if have_linux; then
	where=Debian
	linux_plainly --core skylake -- "$scratch/time"
	# A timer of Debian's may be 50 us late. Its pages are anywhere, so some sets of L2 have few lines of the chase and
	# keep them: at most a quarter, which is 36 cycles.
	known_times 10200000 36
	barepmu linux --no-share --core skylake --append "$linux_words" -- /bin/sh -c \
		'read -r source </sys/devices/system/clocksource/clocksource0/current_clocksource; echo "source $source"'
	is "$(value source)" tsc "Debian's kernel keeps the TSC as its clock"
else
	skip "no Linux kernel"
fi

# A loop of two instructions runs a round for each tick: the count of instructions gives the ticks in ring 0 as well.
ticks() {
	echo "lfence; rdtsc; lfence; mov ecx, eax; $1 lfence; rdtsc; lfence; sub eax, ecx; .l: dec eax; jnz .l"
}
for ring in 0 3; do
	barepmu bench --core skylake --ring $ring --unroll 10 --events instructions --csv --asm "$(ticks '')" \
		--asm "$(ticks 'times 100 imul rbx, rbx;')"
	is "$(awk -F '",' '/^"/ { split($2, field, ","); count[++code] = field[1] }
		END { print (count[2] - count[1] - 100) / 2 }' "$scratch/stdout")" 300 "ring $ring: 100 multiplications"
done

# rounds NAME N: a program that takes 300 cycles a round, on cores whose IMUL takes 3.
rounds() {
	printf 'bits 64\nglobal _start\n_start: mov ecx, %u\nnext: times 100 imul rax, rax\ndec ecx\njnz next\n' "$2" \
		>"$scratch/$1.asm"
	printf 'mov eax, 231\nxor edi, edi\nsyscall\n' >>"$scratch/$1.asm"
	nasm -f elf64 "$scratch/$1.asm" -o "$scratch/$1.o" && ld -static "$scratch/$1.o" -o "$scratch/$1"
}
rounds busy 400000
for core in yonah core2 nehalem skylake golden-cove gracemont k10 zen2 zen4; do
	barepmu stat --core $core -e cycles,ref-cycles -- "$scratch/busy"
	between "$(awk '/ cycles / { gsub(",", ""); cycles = $1 } /time elapsed/ { print cycles / $1 / 1e9 }' \
		"$scratch/stderr")" 0.99 1.0 "$core: cycles a nanosecond"
done
rounds second 3333333
barepmu record --core skylake -e cycles:u -F 1000 -o "$scratch/perf.data" -- "$scratch/second"
between "$(sed -n 's/.* \([0-9]*\) samples of .*/\1/p' "$scratch/stderr")" 980 1020 "-F 1000: samples of a second"

barepmu stat --core skylake --time instructions -e cycles -- "$scratch/busy"
has "$scratch/stderr" 'core: skylake \(simulated; time: instructions\)$' "--time instructions: the answer says so"
barepmu run --time none -- "$scratch/time"
is $status 125 "--time none: status"
is "$(cat "$scratch/stderr")" "barepmu: --time is core or instructions, not 'none'" "--time none: what is possible"
finish
