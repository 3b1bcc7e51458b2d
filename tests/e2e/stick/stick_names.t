#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# All files come home on a stick, also files whose names are equal to FAT; each job has its results, even if all
# start in one second; status.toml is TOML.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"

firmware_rom
musl-gcc -static -O2 -o "$scratch/names" tests/e2e/stick/names.c
image=$scratch/usb.img
barepmu image -o "$image" --end poweroff -- "$scratch/names"
is $status 0 "image: status"
{
	printf 'end = "poweroff"\n[[job]]\nname = "names"\nprogram = "%s"\n' "$scratch/names"
	printf '[[job]]\nname = "quote"\nprogram = "/tmp/it'"'"'s \\"\\\\"\n'
	for _ in $(seq 12); do
		printf '[[job]]\nname = "again"\nprogram = "/bin/none"\n'
	done
} >"$scratch/jobs"
mcopy -o -i "$image@@1M" "$scratch/jobs" ::/barepmu/jobs.toml
# An instruction takes a nanosecond: all jobs end in one second.
timeout -k 5 900 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot -cpu max \
	-bios "$scratch/firmware.rom" -icount shift=0,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm \
	-drive if=none,id=stick,format=raw,cache=unsafe,file="$image" -device nvme,drive=stick,serial=1 2>/dev/null
is $? 0 "the machine switches itself off"
mkdir "$scratch/home"
mcopy -s -n -i "$image@@1M" ::/barepmu/results "$scratch/home"
find "$scratch/home/results" -mindepth 2 -maxdepth 2 >"$scratch/found"
is "$(grep -c '_again\(-[0-9]*\)\?$' "$scratch/found")" 12 "each job has its results"
is "$(grep -c '\.new$' "$scratch/found")" 0 "no results are unfinished"
names=$(grep '_names$' "$scratch/found")
made=$(cat "$names/output.txt")
between "$made" 40 40 "files were made: names alike, long and deep"
find "$names/out" -type f -exec cat {} + | sort -n >"$scratch/contents"
is "$(find "$names/out" -type f | wc -l) $(sort -u "$scratch/contents" | wc -l)" "$made $made" \
	"all files came home, each with its own content"
cat >"$scratch/read.py" <<'END'
import sys, tomllib
print(tomllib.load(open(sys.argv[1], "rb"))["line"])
END
if python3 -c 'import tomllib' 2>/dev/null; then
	is "$(python3 "$scratch/read.py" "$(grep '_quote$' "$scratch/found")/status.toml")" \
		"/tmp/it's \"\\: not found in the image" "why a job did not start, read by another's TOML"
else
	skip "python3 has no tomllib"
fi
finish
