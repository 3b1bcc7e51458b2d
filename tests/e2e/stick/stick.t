#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The stick: jobs of its file run one after another, and their files come home, from USB, NVMe and SATA, compared bit
# for bit with the program's files on the host; a power failure preserves the old files.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"

firmware_rom
musl-gcc -static -O2 -o "$scratch/maker" tests/e2e/stick/maker.c
cat >"$scratch/writer.c" <<'END'
#include <stdio.h>
#include <unistd.h>
/* Its word, or more lines than a screen has, then colours and characters that are not ASCII; and waits. */
int main(int argc, char **argv)
{
	for (int i = 1; i <= 150 && argc == 1; i++)
		printf("line %d\n", i);
	printf(argc == 1 ? "\33[31mred\33[0m ┌─┐ äöüß\n" : "here: %s\n", argv[1]);
	fflush(stdout);
	return pause();
}
END
musl-gcc -static -O2 -o "$scratch/writer" "$scratch/writer.c"
image=$scratch/usb.img
part=$image@@1M

barepmu image -o "$image" --end poweroff --add "$scratch/writer" --env GREETING='a "b"' -- \
	"$scratch/maker" /out/deep/data 3000
is $status 0 "image: status"
mcopy -n -i "$part" ::/barepmu/jobs.toml "$scratch/jobs.toml"
has "$scratch/jobs.toml" '^end = "poweroff"$' "image: the job file has the end"
has "$scratch/jobs.toml" '^arguments = \["/out/deep/data", "3000"\]$' "image: the job file has the arguments"
has "$scratch/jobs.toml" '^environment = \["GREETING=a \\"b\\""\]$' "image: the job file has the environment"

barepmu image -o "$image" -- true
is $status 125 "a file that exists: refused without --force"
has "$scratch/stderr" "exists: --force overwrites it" "a file that exists: the reason"
has "$scratch/jobs.toml" '^program = "maker"$' "the program's name in the job file has no directory"

# job_file: the job file, as any editor leaves it, from standard input.
job_file() {
	cat >"$scratch/jobs"
	mcopy -o -i "$part" "$scratch/jobs" ::/barepmu/jobs.toml
}

# machine WORD...: starts QEMU with the image as drive `stick`.
machine() {
	rm -f "$scratch/console"
	timeout -k 5 900 qemu-system-x86_64 -M "q35,sata=${sata:-off}" -m 512 -nodefaults -display none -no-reboot -cpu max \
		-bios "$scratch/firmware.rom" \
		-drive if=none,id=stick,format=raw,cache=unsafe,file="$image" \
		-serial "${serial:-file:$scratch/console}" "$@" 2>/dev/null &
	machine=$!
}

# boot WORD...: until it switches itself off; $status is QEMU's.
boot() {
	machine "$@"
	finish_boot
}

finish_boot() {
	wait $machine && status=0 || status=$?
	rm -rf "${scratch:?}/home"
	mkdir "$scratch/home"
	mcopy -s -n -i "$part" ::/barepmu/results "$scratch/home"
	results=$(find "$scratch/home/results" -mindepth 2 -maxdepth 2 | sort)
}

# A disk is overwritten only when that is meant, and whole.
truncate -s 200M "$scratch/disk"
barepmu image -o "$scratch/self.img" --self-test
mcopy -n -i "$scratch/self.img@@1M" ::/barepmu/jobs.toml "$scratch/self.toml"
has "$scratch/self.toml" '^program = "selftest"$' "image --self-test: the job"
if disk=$(losetup -f --show "$scratch/disk" 2>/dev/null); then
	barepmu image -o "$disk" </dev/null
	is $status 125 "a disk without --force: refused"
	has "$scratch/stderr" "is a disk, all of which would be lost: --force writes to it" \
		"a disk without --force: the error names the reason"
	cmp -s -n 1000000 "$scratch/disk" /dev/zero
	is $? 0 "nothing was written"
	barepmu image --force -o "$disk" --end wait -- true
	is $status 0 "a disk with --force: status"
	has "$scratch/stdout" '^wrote and verified ' "a disk with --force: it was read back"
	[ -b "$disk" ]
	is $? 0 "the node is still there"
	mcopy -n -i "$scratch/disk@@1M" ::/barepmu/jobs.toml "$scratch/disk.toml"
	has "$scratch/disk.toml" '^program = "true"$|^program = ".*/true"$' "a disk with --force: the image is on it"
	losetup -d "$disk"
else
	skip "no loop device: needs root"
fi
barepmu image --force -o /dev/full
is $status 125 "a device that is no disk: refused"
[ -c /dev/full ]
is $? 0 "a device that is no disk still exists"

mkdir -p "$scratch/out"
"$scratch/maker" "$scratch/out/data" 3000 >"$scratch/out/output.txt"
"$scratch/maker" "$scratch/out/more" 1 >"$scratch/out/more.txt"

# brought DIRECTORY FILE NAME
brought() {
	cmp -s "$1" "$2"
	is $? 0 "$3"
}

job_file <<END
# Edited, as on Windows.$(printf '\r')
end = "wait"$(printf '\r')
[[job]]
name = "first"
program = "$scratch/maker"
arguments = ["/out/deep/data", "3000"]
[[job]]
name = "se/cond"
program = "$scratch/maker"
arguments = ["/out/more", "1"]
[[job]]
name = "writer"
program = "$scratch/writer"
[[job]]
name = "by-line"
program = "$scratch/writer"
arguments = ["by-line"]
[[job]]
name = "by-button"
program = "$scratch/writer"
arguments = ["by-button"]
[[job]]
name = "never"
program = "spin"
END
serial=chardev:line
machine -smp 2 -device qemu-xhci -device usb-storage,drive=stick -vga std -mon monitor \
	-chardev "socket,id=monitor,path=$scratch/monitor,server=on,wait=off" \
	-chardev "socket,id=line,path=$scratch/line,server=on,wait=off"
tests/e2e/stick/attend.py "$scratch" "$BUILD/font.psf" wait:1:red show:screen:red 'tell:sendkey pgup' \
	'show:before:line 101' 'tell:sendkey ctrl-c' 'wait:1:here: by-line' 'type:\x03' \
	'wait:1:here: by-button' tell:system_powerdown
finish_boot
is "$status" 0 "USB: the power button switches the machine off, though the job file does not"
has "$scratch/screen" "^red ┌─┐ äöüß$(printf '\t')c04040 d0d0d0\$" "the screen has colours and more than ASCII"
has "$scratch/screen" '^line 150' "the screen has scrolled"
is "$(grep -c '^line 101' "$scratch/screen") $(grep -c '^line 101' "$scratch/before")" "0 1" \
	"page up shows what has left it"
for job in writer by-line by-button; do
	has "$(echo "$results" | grep "_$job\$")/status.toml" '^status = 130$' "$job: ended by a signal, and home"
done
has "$(echo "$results" | grep '_by-button$')/log.txt" 'power button: the program is asked to end' "the button's name"
has "$(echo "$results" | grep '_writer$')/output.txt" '^line 150$' "what it had written is home"
is "$(echo "$results" | grep -c '_never$')" 0 "the button ends the list of jobs"
machine='Standard-PC-Q35-[^/]*_QEMU-[^/]*'
is "$(echo "$results" | grep -Ec "/results/$machine/20[0-9][0-9]-[01][0-9]-[0-3][0-9]-[0-9]{6}_(first|se-cond)\$")" \
	2 "USB: a directory for each job, named by machine, time and job"
first=$(echo "$results" | grep '_first$')
second=$(echo "$results" | grep '_se-cond$')
brought "$first/out/deep/data" "$scratch/out/data" "USB: the file is the host's, bit for bit"
brought "$first/output.txt" "$scratch/out/output.txt" "USB: and so is the output"
brought "$second/out/more" "$scratch/out/more" "USB: the second job's file"
brought "$second/output.txt" "$scratch/out/more.txt" "USB: and output"
has "$first/log.txt" '2 processors, 2 in use' "USB: the kernel's log, of two processors"
has "$first/log.txt" 'the program ended with status 3' "USB: to its end"
has "$second/status.toml" '^status = 3$' "USB: the status"

job_file <<END
end = "poweroff"
[[job]]
name = "broken"
program = "$scratch/writer"
arguments = ["broken"]
[[job]]
name = "nvme"
program = "$scratch/maker"
arguments = ["/out/data", "3000"]
[[job]]
name = "none"
program = "makre"
[[job]]
name = "itself"
program = "selftest"
[[job]]
name = "limited"
program = "$scratch/writer"
arguments = ["limited"]
timeout = 1
END
# The second processor breaks while the first job runs: that kernel panics, and the next one starts.
rm -f "$scratch/monitor" "$scratch/line"
machine -smp 2 -device nvme,drive=stick,serial=1 -mon monitor \
	-chardev "socket,id=monitor,path=$scratch/monitor,server=on,wait=off" \
	-chardev "socket,id=line,path=$scratch/line,server=on,wait=off"
tests/e2e/stick/attend.py "$scratch" - 'wait:1:here: broken' 'tell:mce 1 9 0xbe00000000000000 0x5 0 0'
finish_boot
serial=
is "$status" 0 "NVMe: the machine switches itself off"
has "$(echo "$results" | grep '_broken$')/log.txt" '^panic: machine check in the kernel' "a panic comes home"
has "$(echo "$results" | grep '_broken$')/status.toml" '^reason = "panic"$' "a panic: the status names it"
brought "$(echo "$results" | grep '_nvme$')/out/data" "$scratch/out/data" "NVMe: the file is the host's"
has "$(echo "$results" | grep '_none$')/status.toml" '^line = "/bin/makre: not found in the image"$' \
	"a job that could not start says why"
has "$(echo "$results" | grep '_none$')/log.txt" '/bin has .*maker' "a program that is not found: what there is"
barepmu report-machine "$(echo "$results" | grep '_itself$')/out/report.json"
has "$scratch/stdout" '^board +Standard-PC-Q35-' "a self-test's report says which machine it was"
has "$scratch/stdout" '^APIC +x2APIC [a-z ]+, o' "a self-test's report has the APIC's registers"
has "$(echo "$results" | grep '_limited$')/status.toml" '^status = 130$' "timeout: the program was ended by a signal"
has "$(echo "$results" | grep '_limited$')/log.txt" 'time limit: the program is asked to end' "timeout: the reason"
brought "$(echo "$results" | grep '_first$')/out/deep/data" "$scratch/out/data" "earlier results stay"

# Mistakes in the job file; the right jobs run. The power fails while the third is being written.
job_file <<END
end = "poweroff"
[[job]]
name = "coloured"
colour = "red"
[[job]]
name = "sata"
program = "$scratch/maker"
arguments = ["/out/data", "3000"]
[[job]]
name = "large"
program = "$scratch/maker"
arguments = ["/out/data", "30000"]
END
sata=on
# OVMF 2025.02 tries its shell before a SATA disk without an index.
machine -device ide-hd,drive=stick,bootindex=0
for _ in $(seq 6000); do
	mdir -b -i "$part" "::/barepmu/results/*/*_large.new/out/data" >/dev/null 2>&1 && break
	sleep 0.1
done
# shellcheck disable=SC2046 # QEMU, the child of timeout: it would wait for a key, because of the mistake
kill -9 $(pgrep -P $machine)
wait $machine 2>/dev/null
rm -rf "${scratch:?}/home"
mkdir "$scratch/home"
mcopy -s -n -i "$part" ::/barepmu/results "$scratch/home" 2>"$scratch/complaints"
results=$(find "$scratch/home/results" -mindepth 2 -maxdepth 2 | sort)
is "$(echo "$results" | grep -c '_large$')" 0 "a power failure: the directory has no final name"
has "$(echo "$results" | grep '_large.new$')/began.txt" '^job 2 of 2 has begun' "a power failure: the job has begun"
has "$(echo "$results" | grep '_job-file$')/mistakes.txt" '^jobs.toml, line 4: no key of a job' \
	"a mistake in the job file is on the stick"
is "$(echo "$results" | grep -c '_coloured$')" 0 "a job with a mistake does not run"
has "$scratch/console" 'jobs.toml, line 4: no key of a job' "a mistake in the job file is on the console"
brought "$(echo "$results" | grep '_sata$')/out/data" "$scratch/out/data" "SATA: the file before it is the host's"
brought "$(echo "$results" | grep '_first$')/out/deep/data" "$scratch/out/data" "and so are earlier ones"
mdir -/ -i "$part" :: >"$scratch/tree" 2>&1
is $? 0 "the volume can be read"
finish
