#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu linux: the same program on stock Linux in the same machine is the reference for ours.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"
# instructions:u of a loop of 2,000,000 instructions, on both kernels, by the same program; on Linux with more memory
# than it reaches at first.
linux_quickly --memory 2048 -- "$BUILD/apps/stat" -x, -e instructions:u,cycles:u,faults -- /bin/spin 1000000
is "$status $(cat "$scratch/stdout")" "0 1000000 iterations of 2 instructions" \
	"under the emulated PMU: status and output"
grep -v '^#' "$scratch/stderr" >"$scratch/linux"
barepmu stat -x, -e instructions:u,cycles:u,faults -- spin 1000000
grep -v '^#' "$scratch/stderr" >"$scratch/ours"
is "$(cut -d, -f2,3,5 "$scratch/ours")" "$(cut -d, -f2,3,5 "$scratch/linux")" \
	"both kernels: equal events, units and percentages"
linux=$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/linux")
between "$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/ours")" $((linux - 1000)) $((linux + 1000)) \
	"both kernels: equal instructions, except in the C library's start"

# Standard input: what is left of a file. A terminal is the console of `boot`: line editing, Ctrl-D, and how to leave.
cat >"$scratch/copy.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char piece[256];
	long n;

	if (getpid() == 1)
		puts("ready"), fflush(stdout);
	while ((n = read(0, piece, sizeof(piece))) > 0)
		printf("got %ld: %.*s", n, (int)n, piece), fflush(stdout);
	printf("end %ld\n", n);
	return fflush(stdout) || n || getpid() == 1 ? pause() : 3;
}
END
musl-gcc -static -O2 -o "$scratch/copy" "$scratch/copy.c"
printf 'first\nsecond\n' >"$scratch/input"
{
	read -r line
	linux_quickly --pmu none -- "$scratch/copy"
} <"$scratch/input"
is "$line $(cat "$scratch/stdout")" "first got 7: second
end 0" "a file at standard input: what is left of it"
is $status 3 "without a PMU: the program's status"

# Files below directories of /out, and one that takes long by a serial line: memory that the host sees has them.
mkdir -p "$scratch/tree/a/b" "$scratch/results"
head -c 8000000 "$BUILD/kernel.first.elf" >"$scratch/tree/a/b/big"
echo low >"$scratch/tree/a/c"
(cd "$scratch/results" && exec "$BAREPMU" linux --pmu none --append "$quick_words $linux_words" \
	--add "$scratch/tree:/tree" -- cp -r /tree /out >"$scratch/stdout" 2>"$scratch/stderr")
status=$?
is "$status $(diff -r "$scratch/tree" "$scratch/results/out/tree" 2>&1)" "0 " \
	"files below directories of /out reach the host"

# A pipe has requests while the program runs; on Linux a terminal has line editing, signals and a size as well.
musl-gcc -static -O2 -Wall -Wextra -o "$scratch/streams" tests/e2e/programs/streams.c
{ echo one; sleep 1; seq 4000; } | {
	linux_quickly --pmu none -- "$scratch/streams" copy
	echo $status >"$scratch/status"
}
{ echo one; seq 4000; } | cmp -s - "$scratch/stdout"
is "$? $(cat "$scratch/status")" "0 0" "a pipe at standard input: all of it, and its end"
python3 tests/e2e/programs/typist.py "$BAREPMU" linux --pmu none \
	--append "$quick_words $linux_words" \
	--add /bin/sh:/bin/sh --add "$scratch/streams:/streams" -- /bin/sh --% \
	'# ' '/streams copy\n' '\n' 'hxe\x7f\x7fello\n' '\nhello\r\n' '\x04' '# ' '/streams kinds\n' ttt '' \
	'# ' '/streams sizes\n' '24 rows, 80 columns' '@50x132' 'now 50 rows, 132 columns' '' \
	'# ' '/streams sizes\n' '50 rows' '\x03' '# ' 'exit 3\n' >"$scratch/came" 2>&1
has "$scratch/came" 'hxe.x08 .x08.x08 .x08ello.r.nhello.r.n' "a terminal: a line is edited and echoed"
has "$scratch/came" '^status 3' "Ctrl-D, Ctrl-C, what the streams are, the window's size and its change"

mkdir -p "$scratch/root/dev"
cp "$scratch/copy" "$scratch/root/init"
if mknod "$scratch/root/dev/console" c 5 1 2>/dev/null; then
	(cd "$scratch/root" && find . | cpio --quiet -o -H newc) >"$scratch/initrd"
	python3 tests/e2e/programs/typist.py "$BAREPMU" boot --pmu none \
		--kernel "${BAREPMU_LINUX:-$(find /boot -name 'vmlinuz-*' | head -1)}" --initrd "$scratch/initrd" \
		--append "console=ttyS0 loglevel=1 $quick_words $linux_words" --% \
		ready 'hxe\x7f\x7fello\n' 'got 6: hello' '\x04' 'end 0' '\x1dx' >"$scratch/came" 2>&1
	has "$scratch/came" 'hxe.x08 .x08.x08 .x08ello' "boot on a terminal: a line is edited"
	has "$scratch/came" "end 0.*QEMU: Terminated" "boot on a terminal: Ctrl-D ends input, Ctrl-] and x the machine"
else
	skip "no console's node: needs root"
fi

# The clock with two processors, of AMD, whose CPUID does not have its rate; with one: tests/e2e/pmu/intel.t and amd.t.
# Kernels that Zstandard, XZ and gzip pack, as Debian 13's and others': the payload of a bzImage, packed again.
if zstd --version >/dev/null 2>&1; then
	python3 tests/e2e/programs/repack.py "${BAREPMU_LINUX:-$(find /boot -name 'vmlinuz-*' | sort | tail -1)}" \
		"$scratch/zstd" "$scratch/xz" "$scratch/gzip"
	for packer in xz gzip; do
		BAREPMU_LINUX=$scratch/$packer barepmu linux --no-share --core none --append "$linux_words" -- spin 1000
		is "$status $(cat "$scratch/stdout")" "0 1000 iterations of 2 instructions" "a kernel packed by $packer"
	done
	BAREPMU_LINUX=$scratch/zstd barepmu linux --no-share --core none --append "$linux_words" -- spin 1000
	is "$status $(cat "$scratch/stdout")" "0 1000 iterations of 2 instructions" "a kernel packed by Zstandard"
	head -c 3000000 "$scratch/zstd" >"$scratch/cut"
	BAREPMU_LINUX=$scratch/cut barepmu linux -- spin 1000
	is $status 125 "a kernel file that is cut: refused"
	has "$scratch/stderr" "is truncated" "a kernel file that is cut: the reason"
else
	skip "zstd is not installed"
fi

# Linux 6.12, where a package is installed; its allocator branches on the flags of CMPXCHG16B.
newer=$(find /boot -name 'vmlinuz-6.12.*' | sort | tail -1)
if [ "$newer" ]; then
	BAREPMU_LINUX=$newer barepmu linux --no-share --smp 2 --append "$linux_words" -- kinds
	is "$status $(cat "$scratch/stdout")" "0 4 rounds: 41290920742d9ee3" "Linux 6.12, two processors"
else
	skip "no Linux 6.12 in /boot"
fi

dog=/proc/sys/kernel/nmi_watchdog
clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
barepmu linux --no-share -v --append "$linux_words" --pmu amd-v2 --smp 2 --env PATH=/bin \
	--add /bin/sh:/bin/sh --add /bin/sleep:/bin/sleep -- /bin/sh -c \
	"sleep 3; read -r clock <$clock; echo clock \$clock; read -r dog <$dog; echo watchdog \$dog"
keeps_clock "amd-v2, two processors"
has "$scratch/stdout" '^watchdog 0' "amd-v2, two processors: Linux's watchdog takes no counter"
# Files that the command line names come along, programs have /tmp, and the host's files are seen as `run` does.
echo "a file of the host" >"$scratch/named.txt"
echo "not named" >"$scratch/other.txt"
(cd "$scratch" && exec "$BAREPMU" linux --pmu none -- /bin/sh -c \
	'read -r a <"$0" && echo "$a" >/tmp/x && read -r b </tmp/x && echo "$b"; cat other.txt; ls | head -3; ls /usr/bin |
	cksum; cksum /usr/bin/ls; echo new >other.txt; cat other.txt /usr/bin/missing' named.txt) >"$scratch/stdout" \
	2>"$scratch/stderr"
is "$(head -n 1 "$scratch/stdout")" "a file of the host" "a file named on the command line, and /tmp"
is "$(sed 1d "$scratch/stdout")" "not named
$(cd "$scratch" && ls | head -3; ls /usr/bin | cksum; cksum /usr/bin/ls)
new" "Debian's kernel sees the host's files, names and contents, and keeps changes in memory"
is "$(cat "$scratch/other.txt") $(cat "$scratch/stderr")" \
	"not named cat: /usr/bin/missing: No such file or directory" "the host's files stay as they are"
linux=${BAREPMU_LINUX:-$(ls /boot/vmlinuz-* | tail -n 1)}
timeout 2 "$BAREPMU" boot --pmu none --kernel "$linux" >/dev/null 2>"$scratch/stderr" </dev/null
has "$scratch/stderr" 'a Linux kernel prints here with --append console=ttyS0' \
	"boot of Linux without a console: what it says"
finish
