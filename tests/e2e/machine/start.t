#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How the kernel starts programs, and how it ends when it cannot: the kernel alone in plain QEMU, its log on COM1.
. tests/e2e/lib.sh

root=$scratch/root
mkdir -p "$root/bin" "$root/.barepmu"

cat >"$scratch/probe.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	printf("started as %s with %d:", argv[0], argc);
	for (int i = 1; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf(" GREETING=%s\n", getenv("GREETING"));
	if (argc > 1 && !strcmp(argv[1], "eat"))
		for (size_t mib = 0; mib < 1 << 20; mib++)
			memset(malloc(1 << 20), 1, 1 << 20);
	return 7;
}
END
gcc -static -O1 -o "$root/bin/static" "$scratch/probe.c"
gcc -static-pie -O1 -o "$root/bin/pie" "$scratch/probe.c"
gcc -O1 -o "$root/bin/dynamic" "$scratch/probe.c"
head -c 5000 "$root/bin/static" >"$root/bin/cut"
printf 'some text\n' >"$root/bin/text"
printf '#!/bin/pie  first second \nrest\n' >"$root/bin/script"
chmod +x "$root/bin"/*
cp "$root/bin/static" "$root/bin/forbidden"
chmod 644 "$root/bin/forbidden"

# pack ARGUMENT...: the initrd, with a run file of these arguments.
pack() {
	{
		printf 'C/bin\0EGREETING=hello\0'
		for word; do printf 'A%s\0' "$word"; done
	} >"$root/.barepmu/run"
	(cd "$root" && find . | cpio --quiet -o -H newc) >"$scratch/initrd"
}

# boot [MEMORY]: what the machine printed is in $scratch/log; $status is 1 when it ended as it should (QEMU's debug
# exit).
boot() {
	status=0
	timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -accel tcg -cpu max -m "${1:-256}" \
		-nodefaults -display none -no-reboot \
		-kernel "$BUILD/kernel.elf" -initrd "$scratch/initrd" -append "exit=debug $words" -serial "file:$scratch/raw" \
		-device "$debug_exit" >/dev/null 2>&1 || status=$?
	tr -d '\r' <"$scratch/raw" >"$scratch/log"
}
words=

# starts NAME LINE ARGUMENT...: the program prints the line and ends with 7.
starts() {
	name=$1 line=$2
	shift 2
	pack "$@"
	boot
	has "$scratch/log" "^$line\$" "$name starts"
	has "$scratch/log" 'ended with status 7' "$name ends"
}

starts "a static program" 'started as /bin/static with 3: \[a b\] \[\] GREETING=hello' /bin/static 'a b' ''
starts "a static-pie program" 'started as /bin/pie with 2: \[x\] GREETING=hello' /bin/pie x
starts "a program by its path from the directory" 'started as ./static with 1: GREETING=hello' ./static
starts "a script's interpreter" 'started as /bin/pie with 4: \[first second\] \[/bin/script\] \[x\] GREETING=hello' \
	/bin/script x

# fails NAME PATH REASON: one line says it, and the machine ends.
fails() {
	pack "$2"
	boot
	is "$status" 1 "$1: the machine ends"
	has "$scratch/log" "error: $2: $3" "$1: the reason"
	is "$(grep -c 'error:' "$scratch/log")" 1 "$1: one line"
}

fails "no such program" /bin/nothing 'not found in the image'
fails "no right to execute" /bin/forbidden 'cannot run it: permission denied'
fails "a directory" /bin 'cannot run it: permission denied'
fails "no ELF file" /bin/text 'cannot run it: not an ELF file'
fails "a cut-off program" /bin/cut 'cannot run it: truncated ELF file'
fails "a dynamic program" /bin/dynamic 'cannot run it: dynamic program: link it with -static'

pack /bin/static
cp "$scratch/initrd" "$scratch/good"

# refuses NAME REASON: an initrd that is no archive.
refuses() {
	boot
	is "$status" 1 "$1: the machine ends"
	has "$scratch/log" "error: the initrd .*: $2" "$1: the reason"
}

head -c 30000 "$scratch/good" >"$scratch/initrd"
refuses "an archive that is cut off" 'it is cut off within a member'
head -c 60 "$scratch/good" >"$scratch/initrd"
refuses "an archive that is cut off in its first header" 'it is cut off within a header'
printf 'no archive at all, but long enough for a header: %070d\n' 0 >"$scratch/initrd"
refuses "a file that is no archive" 'it does not start with a newc header'
{ head -c 150 "$scratch/good"; printf 'damaged'; tail -c +158 "$scratch/good"; } >"$scratch/initrd"
refuses "a damaged archive" "a member's"

cp "$scratch/good" "$scratch/initrd"
words='run=/bin/ignored'
boot 16
has "$scratch/log" 'ended with status 7' "16 MiB are enough; the run file goes before run="
words=
pack /bin/static eat
boot 64
has "$scratch/log" 'error: out of memory: killing static .*more memory' "a program that eats all memory is told so"
has "$scratch/log" 'killed by signal 9' "a program that eats all memory is killed"
is "$status" 1 "the machine ends in good order"
finish
