#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A job that is an EFI program: the PMU samples it and the boot services that it calls, by NMIs through an entry of the
# firmware's IDT; the job after it finds a machine as fresh as ever. Under the visor, in OVMF.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"
firmware_rom
image=$scratch/usb.img

barepmu image --pmu skylake --end poweroff -o "$image" -- spin 5
cat >"$scratch/jobs.toml" <<END
end = "poweroff"

[[job]]
name = "sampled"
firmware = "/tools/works.efi"
arguments = ["one", "two"]
period = 20000

[[job]]
name = "missing"
firmware = "/tools/none.efi"

[[job]]
name = "after"
program = "spin"
arguments = ["7"]
END
mmd -i "$image@@1M" ::/tools
mcopy -o -i "$image@@1M" "$scratch/jobs.toml" ::/barepmu/jobs.toml
mcopy -o -i "$image@@1M" "$BUILD/tests/efi/works.efi" ::/tools/works.efi
version=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\.[0-9]*\).*/\1/p')
timeout -k 5 300 qemu-system-x86_64 -M q35,sata=off -m 512 -nodefaults -display none -no-reboot \
	-cpu max,+svm,-erms,-x2apic -icount shift=3,sleep=off -global hpet.msi=on -bios "$scratch/firmware.rom" \
	-drive if=none,id=stick,format=raw,file="$image" -device nvme,drive=stick,serial=1 \
	-serial "file:$scratch/console" -plugin "$BUILD/core.so,core=skylake,threads=off,qemu=$version" 2>/dev/null
is $? 0 "the machine switches itself off"
tr -d '\r' <"$scratch/console" >"$scratch/text"
has "$scratch/text" '^worked: [0-9A-F]+$' "the program runs with boot services"
has "$scratch/text" '^barepmu: missing: the firmware does not load the program.*Not Found' "a program that is not there"
has "$scratch/text" '^7 iterations of 2 instructions' "the next job runs in a kernel of its own"

mkdir "$scratch/home"
mcopy -s -n -i "$image@@1M" ::/barepmu/results "$scratch/home"
results=$(find "$scratch/home" -type d -name '*_sampled')
has "$results/status.toml" '^status = 7$' "status.toml: what the program returned, the length of its arguments"
has "$results/status.toml" '^other_nmis = 0$' "status.toml: all NMIs were the counter's"
samples=$(awk '$1 == "samples" { print $3 }' "$results/status.toml")
is "$(awk -F, 'NR > 1 { n += $4 } END { print n }' "$results/samples.csv")" "$samples" "samples.csv has all samples"
between "$(awk -F, -v n="$samples" '$1 == "works.efi" { print $4 / n }' "$results/images.csv")" .4 .7 \
	"images.csv: half of the time is the program's"
between "$(awk -F, -v n="$samples" '$1 == "RuntimeDxe" { print $4 / n }' "$results/images.csv")" .25 .5 \
	"images.csv: a third is the firmware's CRC, by the name in its volume"
spin=$(nm "$BUILD/tests/efi/works.so" | awk '$3 == "spin" { print $1 }')
hottest=$(sort -t, -k4 -n "$results/samples.csv" | tail -n 1 | cut -d, -f3)
between $((hottest - 0x$spin)) 0 40 "samples.csv: the hottest offset is in the program's function"
finish
