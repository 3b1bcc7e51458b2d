#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Standard input and output: pipes byte for byte and fast, and a terminal with line editing, signals and a size.
. tests/e2e/lib.sh
musl-gcc -static -O2 -Wall -Wextra -o "$scratch/streams" tests/e2e/programs/streams.c
streams=$scratch/streams

# terminal OPTIONS... --% TEXT KEYS...: the program on a terminal; what came in $scratch/came.
terminal() {
	python3 tests/e2e/programs/typist.py "$BAREPMU" run "$@" >"$scratch/came" 2>&1
}

echo 5 | timeout -k 5 900 "$BAREPMU" run -- "$streams" copy >"$scratch/stdout"
is "$(cat "$scratch/stdout")" 5 "a pipe's line arrives"
"$streams" flood 3 >"$scratch/in"
timeout -k 5 900 "$BAREPMU" run -- "$streams" copy <"$scratch/in" | cmp -s - "$scratch/in"
ok $? "3 MiB of a file go in and out"
{ echo one; sleep 1; echo two; } | timeout -k 5 900 "$BAREPMU" run --smp 2 -- "$streams" copy >"$scratch/stdout"
is "$(cat "$scratch/stdout")" "one
two" "two processors read what comes late"
is "$(: | timeout -k 5 900 "$BAREPMU" run --pmu none -- "$streams" copy)" "" "without the visor: the end"
is "$(: | timeout -k 5 900 "$BAREPMU" run -- "$streams" kinds 2>&1 | cat)" ppp "pipes are pipes"
timeout -k 5 900 "$BAREPMU" run -- "$streams" kinds </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
is "$(cat "$scratch/stdout")" ccc "files are none"

# The time of the machine is not that of the host: who waits for input gets the host's.
mkfifo "$scratch/silent"
exec 3<>"$scratch/silent"
is "$(timeout -k 5 900 "$BAREPMU" run -- "$streams" wait 100 <&3)" nothing "poll: nothing within 100 ms"
is "$({ sleep 0.3; echo; } | timeout -k 5 900 "$BAREPMU" run -- "$streams" wait 60000)" input \
	"poll: input within a minute"
for pause in 0 0.4; do
	{ sleep $pause; echo 5; } | barepmu stat -x, -e instructions:k -- "$streams" copy
	grep -v '^#' "$scratch/stderr" >"$scratch/count$pause"
done
is "$(cat "$scratch/count0.4")" "$(cat "$scratch/count0")" "counts do not depend on when input comes"

# The reference is the program's output on the host. 20 MB/s is the promised minimum.
# By the processor's time: the host may be busy.
"$streams" flood 100 | cksum >"$scratch/want"
bash -c 'TIMEFORMAT="%U %S"; time timeout -k 5 900 "$@" 2>/dev/null' time "$BAREPMU" run -- "$streams" flood 100 \
	2>"$scratch/seconds" | cksum >"$scratch/got"
ms=$(awk 'END { print ($1 + $2) * 1000 }' "$scratch/seconds")
is "$(cat "$scratch/got")" "$(cat "$scratch/want")" "100 MiB come out byte for byte"
between $ms 0 5000 "100 MiB come out in 5 seconds of processor time"
echo "# 100 MiB in $ms ms"
# That stream in the simulated core's cycles: the host reads the bytes without a copy.
barepmu stat --core skylake -x, -e cycles:k -- "$streams" flood 10
between "$(awk -F, '$3 == "cycles:k" { print $1 }' "$scratch/stderr")" 300000 1500000 \
	"10 MiB take the kernel 0.14 cycles a byte at most"

# A file's bytes are copied into its pages and from there to the program, and leave from the program's memory: their
# lines of 64 bytes miss twice if the two copies are far apart.
"$streams" flood 4 >"$scratch/file"
barepmu stat --core skylake -x, -e L1-dcache-load-misses --share "$scratch" -- cat "$scratch/file"
cmp -s "$scratch/stdout" "$scratch/file"
ok $? "4 MiB of a file of the host's"
between "$(awk -F, '$3 == "L1-dcache-load-misses" { print $1 }' "$scratch/stderr")" 65536 200000 \
	"4 MiB of a file: each of 65536 lines misses three times at most"
"$streams" corners >"$scratch/want" 2>"$scratch/sizes"
barepmu run -- "$streams" corners
cmp -s "$scratch/stdout" "$scratch/want"
ok $? "output from pages that are there, absent, and in several areas"
is "$(cat "$scratch/stderr")" "$(cat "$scratch/sizes")" "unreadable pages: write() returns the readable part"

terminal -- "$streams" copy --% '' 'hxe\x7f\x7fello\n' 'hello\r\nhello\r\n' '\x04'
has "$scratch/came" 'hxe.x08 .x08.x08 .x08ello.r.nhello.r.n' "a line is edited and echoed"
has "$scratch/came" '^status 0' "Ctrl-D ends input"
terminal -- "$streams" copy --% '' 'a\n' 'a\r\na\r\n' '\x03'
has "$scratch/came" '\^C' "Ctrl-C is shown"
has "$scratch/came" '^status 130' "Ctrl-C ends the program: status 130"
terminal -- "$streams" keys --% 'keys' '\x03' '<03>' '\x1b[A' '<41>' q
has "$scratch/came" '<03><1b><5b><41><71>' "keys one by one, without echo"
terminal -- "$streams" sizes --% '24 rows, 80 columns' '@50x132' 'now 50 rows, 132 columns' ''
has "$scratch/came" '^status 0' "the window's size, and its change"
terminal -- "$streams" kinds --% 'ttt' ''
has "$scratch/came" 'ttt' "the program's streams are terminals"
terminal --pmu none -- "$streams" copy --% '' 'x\n' 'x\r\nx\r\n' '\x1d\x1d\x1d'
has "$scratch/came" '^status 130' "Ctrl-] three times leaves"

# Ctrl-C reaches the program without a terminal as well.
timeout --foreground -s INT 2 "$BAREPMU" run -- "$streams" copy <&3 >"$scratch/stdout" 2>&1
is $? 124 "SIGINT of the command ends the program"
is "$(cat "$scratch/stdout")" "" "SIGINT: no message"
finish
