#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's bpftrace in the image: programs at samples, clocks, faults, probes in programs and in the kernel, at
# tracepoints, with histograms. The reference is the output on Debian's kernel in the same emulator.
. tests/e2e/lib.sh
command -v bpftrace >/dev/null || skip_all "no bpftrace"

spin=$BUILD/apps/spin
# One program for all: it takes bpftrace a second of the machine to start.
cat >"$scratch/probes.bt" <<'PROBES'
hardware:cache-misses:1000 /comm == "spin"/ { @misses[ustack(1)] = count(); }
profile:hz:99 /comm == "spin"/ { @profile[comm] = count(); }
software:page-faults:1 /comm == "spin"/ { @faults = count(); }
interval:ms:10 { @ticks++; if (@ticks == 3) { printf("third tick\n"); } }
uprobe:/spin:main { printf("main of %s with %d\n", comm, arg0); }
uretprobe:/spin:main { printf("it returns %d\n", retval); }
kprobe:CALL_writev /comm == "spin"/ { @begun[comm] = count(); }
kretprobe:CALL_writev /comm == "spin"/ { @written[comm] = sum(retval); @bytes = lhist(retval, 0, 100, 10); }
PROBES
cat >"$scratch/points.bt" <<'POINTS'
tracepoint:syscalls:sys_enter_read /comm == "static_cat"/ { @room = hist(args->count); }
tracepoint:syscalls:sys_exit_read /comm == "static_cat" && args->ret > 0/
	{ @got = lhist(args->ret, 0, 100, 10); @all = stats(args->ret); }
tracepoint:sched:sched_switch /args->prev_comm == "static_cat"/ { @switches[args->prev_comm] = count(); }
POINTS
cat >"$scratch/script" <<'SCRIPT'
export PATH=/usr/bin:/bin
mkdir -p /tmp /sys/kernel/tracing
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
bpftrace /probes.bt -c '/spin 20000000'
[ ! -e /points.bt ] || bpftrace /points.bt -c '/static_cat /ten'
SCRIPT

# add PROGRAM...: sets `add` to the options that bring the programs along, with their libraries.
add() {
	add="--add $(readlink -f /lib64/ld-linux-x86-64.so.2):/lib64/ld-linux-x86-64.so.2 --add $(readlink -f /bin/sh):/bin/sh"
	for program; do
		path=$(command -v "$program")
		add="$add --add $(readlink -f "$path"):$path"
		for library in $(ldd "$path" | awk '$3 ~ "^/" { print $3 }'); do
			case $add in *":$library"*) ;; *) add="$add --add $(readlink -f "$library"):$library" ;; esac
		done
	done
}

# same FILE: the output that must be equal on both kernels: samples are somewhere in main, in proportion to the time.
same() {
	main=$(nm -S "$spin" | awk '$4 == "main" { print $1, $2 }')
	awk -v start="0x${main% *}" -v size="0x${main#* }" '
		function number(hex,   i, value) {
			for (i = 3; i <= length(hex); i++)
				value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return value
		}
		/^ +0x/ { $0 = number($1) - number(start) < number(size) && number($1) >= number(start) ? "main" : "elsewhere" }
		/^(]|@faults|@ticks):/ { sub(/[0-9]+$/, "some") }
		/^@profile/ { sub(/[345]$/, "4") }
		NF' "$1" | sort -u
}

printf 0123456789 >"$scratch/ten"
cat >"$scratch/cat.c" <<'CAT'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[64];
	int fd = open(argv[argc - 1], O_RDONLY);
	while (read(fd, text, sizeof(text)) > 0)
		;
	return 0;
}
CAT
musl-gcc -static -O2 -o "$scratch/cat" "$scratch/cat.c"
sed s/CALL_/sys_/ "$scratch/probes.bt" >"$scratch/ours.bt"
barepmu run --memory 1024 --add "$spin:/spin" --add "$scratch/cat:/static_cat" --add "$scratch/ten:/ten" \
	--add "$scratch/ours.bt:/probes.bt" --add "$scratch/points.bt:/points.bt" --add "$scratch/script:/script" \
	-- /bin/sh /script
is $status 0 "bpftrace in the image: status"
cp "$scratch/stdout" "$scratch/ours"
has "$scratch/ours" '^main of spin with 2$' "uprobe, printf, comm, arguments"
has "$scratch/ours" '^it returns 0$' "uretprobe, retval"
has "$scratch/ours" '^third tick$' "interval, a map's number"
has "$scratch/ours" '^@profile\[spin\]: [345]$' "profile:hz:99: 40 ms"
has "$scratch/ours" '^@faults: [1-9]' "software:page-faults:1"
has "$scratch/ours" '^@written\[spin\]: 38$' "kretprobe: the bytes that were written"
has "$scratch/ours" '^@all: count 1, average 10, total 10$' "tracepoints' arguments: one read of ten bytes"
has "$scratch/ours" '^\[10, 20\) +1 \|@+' "lhist"
has "$scratch/ours" '^\[64, 128\) +2 \|@+' "hist: two reads had room for 64"
has "$scratch/ours" '^@switches\[static_cat\]: [1-9]' "sched_switch, a string"
if have_linux; then
	add bpftrace mount mkdir
	sed s/CALL_/__x64_sys_/ "$scratch/probes.bt" >"$scratch/theirs.bt"
	# shellcheck disable=SC2086 # words
	linux_quickly --memory 1024 $add --add "$spin:/spin" --add "$scratch/theirs.bt:/probes.bt" \
		--add "$scratch/script:/script" -- /bin/sh /script
	same "$scratch/stdout" >"$scratch/linux"
	sed '/^Attaching 3/,$d' "$scratch/ours" >"$scratch/first"
	is "$(same "$scratch/first")" "$(cat "$scratch/linux")" "Debian's kernel: the same"
else
	skip "no Linux to compare with"
fi
finish
