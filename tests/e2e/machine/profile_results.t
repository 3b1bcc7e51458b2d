#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Results of a recorded boot: tables, JSON, comparison, marks; a recording that is cut off.
. tests/e2e/lib.sh
kernel=$BUILD/kernel.elf

# boot_kernel KERNEL'S-OPTIONS OPTION...: our kernel up to its complaint about a missing initrd.
boot_kernel() {
	append="console=com1 exit=debug $1"
	shift
	barepmu boot --kernel "$kernel" --append "$append" --timeout 100 -e instructions "$@"
}

boot_kernel log=debug --stat --json "$scratch/first.json" --mark paging=paging_init --mark "text:PMU: none" 2>/dev/null
is $status 125 "a mark without a name: status"
boot_kernel log=debug --stat --json "$scratch/first.json" --mark paging=paging_init --mark "log=text:PMU: none"
has "$scratch/stderr" '^ phase  *seconds  *instructions ' "stat: phases"
has "$scratch/stderr" '^ BIOS  *0\.[0-9]*  *[0-9,]* ' "stat: firmware's phase"
has "$scratch/stderr" '^ kernel  *0\.[0-9]*  *[0-9,]* ' "stat: the kernel's phase"
has "$scratch/stderr" '^ paging  *0\.[0-9]*  *[0-9,]* ' "stat: a phase from a function on"
has "$scratch/stderr" '^ log  *0\.[0-9]*  *[0-9,]* ' "stat: a phase from a text on the serial line on"
has "$scratch/stderr" '^ kernel.elf  *[0-9,]*  *[0-9.]*%  *[0-9.]*%  ' "stat: an image"
has "$scratch/stderr" '^ khz_pm_timer  *[0-9,]*  *[0-9.]*% *100.0%  kernel.elf' "stat: a function that only waits"
if command -v python3 >/dev/null; then
	python3 - "$scratch/first.json" >"$scratch/sum" <<'END'
import json, sys
boot = json.load(open(sys.argv[1]))
def total(rows):
    return sum(row["instructions"] + row["instructions waiting"] for row in rows)
print(total(boot["phases"]) == total(boot["images"]) > 1000000, boot["complete"])
END
	is "$(cat "$scratch/sum")" "True True" "json: phases and images have the same sum"
else
	skip "python3 is not installed: JSON"
fi

boot_kernel log=debug --html "$scratch/boot.html" --lcov "$scratch/boot.info"
has "$scratch/boot.html" '<title>kernel</title></rect>' "html: the timeline has the kernel's phase"
has "$scratch/boot.html" '<td>khz_pm_timer</td><td class="n">[0-9]*</td>' "html: the table of functions"
if command -v addr2line >/dev/null; then
	grep -A 100 'SF:.*boot/main.c' "$scratch/boot.info" >"$scratch/lines"
	has "$scratch/lines" '^DA:[1-9][0-9]*,1$' "lcov: lines of the kernel's main file ran once"
else
	skip "addr2line is not installed: coverage"
fi

boot_kernel log=debug --json "$scratch/second.json" --mark paging=paging_init --mark "log=text:PMU: none"
boot_kernel log=debug --json "$scratch/third.json" --mark paging=paging_init --mark "log=text:PMU: none" \
	--baseline "$scratch/second.json" --tolerance 0%
has "$scratch/stderr" '^barepmu: 0 rows exceed ' "baseline: a boot repeats to the instruction"
cmp "$scratch/second.json" "$scratch/third.json" >&2
ok $? "json: a boot repeats"
boot_kernel "log=debug check=map" --baseline "$scratch/first.json" --tolerance 2%
is $status 1 "baseline: status of a boot that is slower"
has "$scratch/stdout" '^! kernel  kernel.elf .* \+[0-9.]*%' "baseline: which image is slower"
barepmu boot --diff "$scratch/first.json" "$scratch/second.json"
is $status 0 "diff: status of equal boots"
barepmu boot --diff "$scratch/first.json" tests/e2e/lib.sh
is $status 125 "diff: status of a file that is no JSON"
one_line "diff of a file that is no JSON"

boot_kernel log=error --record "$scratch/perf.data" -c 1000 --until "text:never printed" \
	--append "console=com1" --timeout 3
is $status 124 "until: status of a mark that is not reached"
has "$scratch/stderr" 'stopped after 3 s .* before the mark of --until: the results' "until: not reached: it says so"
has "$scratch/stderr" '[1-9][0-9]* samples in ' "until: not reached: the samples are there"

# Firmware, an EFI program, and Debian's kernel have names.
smm=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd # OVMF with SMM, in flash
if have_ovmf && [ -r $smm ]; then
	barepmu boot --efi "$BUILD/tests/efi/returns.efi" --symbols "$BUILD/tests/efi/returns.so" -e instructions \
		--flash $smm --flash /usr/share/OVMF/OVMF_VARS_4M.fd \
		--record "$scratch/ovmf.data" -c 1000000 --json "$scratch/ovmf.json" --until "text:returning" --timeout 300
	for phase in SEC PEI DXE BDS returns.so; do
		has "$scratch/ovmf.json" "\"phase\" : \"$phase\", \"ns\"" "OVMF: phase $phase"
	done
	for image in SecMain PcdPeim DxeCore BdsDxe PiSmmCore VariableSmm; do
		has "$scratch/ovmf.json" "\"image\" : \"$image\"" "OVMF: the volume names $image"
	done
	nm "$scratch/ovmf.data.d/returns.so" >"$scratch/functions"
	has "$scratch/functions" ' T efi_main$' "an EFI program: functions of its symbol file"
	if command -v perf >/dev/null; then
		perf report -i "$scratch/ovmf.data" --stdio --sort comm,dso >"$scratch/report" 2>&1
		has "$scratch/report" '[0-9.]+%  *DXE-SMM  *VariableSmm' "OVMF: what runs in SMM is apart"
	fi
else
	skip "OVMF is not installed: names of its drivers"
fi
linux=${BAREPMU_LINUX:-$(ls /boot/vmlinuz-* 2>/dev/null | tail -n 1)}
module=$(find "/lib/modules/${linux#*vmlinuz-}" -name 'raid6_pq.ko*' 2>/dev/null | head -n 1)
if have_linux && [ -n "$module" ] && command -v musl-gcc >/dev/null && command -v cpio >/dev/null; then
	mkdir "$scratch/root" && cp "$module" "$scratch/root/" && musl-gcc -static -O1 -DFILE_NAME="\"/${module##*/}\"" \
		tests/e2e/machine/loads_module.c -o "$scratch/root/init"
	(cd "$scratch/root" && find . | cpio -o -H newc >../initrd 2>/dev/null)
	case $module in *.xz) xz -dc "$module" >"$scratch/raid6_pq.ko" ;; *) cp "$module" "$scratch/raid6_pq.ko" ;; esac
	barepmu boot --kernel "$linux" --initrd "$scratch/initrd" --append "console=ttyS0 cryptomgr.notests" \
		--symbols "$scratch/root/init" --symbols "$scratch/raid6_pq.ko" -e instructions --stat \
		--record "$scratch/linux.data" -c 100000 --mark started=start_kernel --until "text:raid6: " --timeout 300 \
		3</dev/null 4</dev/null # as of a caller that leaves files open: each has a number that QEMU uses
	is $status 0 "Linux: a text of a module ends the boot"
	has "$scratch/stderr" '^ kernel  *[0-9.]*  *[0-9,]* ' "Linux: the kernel's phase"
	has "$scratch/stderr" '^ started  *[0-9.]*  *[0-9,]* ' "Linux: a mark at one of its functions, wherever KASLR put it"
	has "$scratch/stderr" '^ setup_boot_APIC_clock .* vmlinux$' "Linux: functions have names"
	has "$scratch/stderr" '^ raid6_[a-z0-9]*_gen_syndrome .* raid6_pq$' "Linux: functions of a module"
	nm "$scratch/linux.data.d/init" >"$scratch/functions"
	has "$scratch/functions" ' T spin$' "Linux: functions of a program"
else
	skip "no Linux kernel with modules, musl-gcc or cpio: its names"
fi

# The recording is cut off after 50 KiB.
(
	trap '' XFSZ
	ulimit -f 100
	boot_kernel log=error --record "$scratch/short.data" -c 1000 -g
	echo $status >"$scratch/status"
)
is "$(cat "$scratch/status")" 125 "full disk: status"
has "$scratch/stderr" '^profile: recording ends here: File too large' "full disk: what the plugin says"
has "$scratch/stderr" '^barepmu: the recording is cut off: the results have what is there' "full disk: it says so"
if command -v perf >/dev/null; then
	perf script -i "$scratch/short.data" -F ip,sym >"$scratch/script" 2>/dev/null
	has "$scratch/script" '^[[:space:]]+[0-9a-f]+ rom-' "full disk: samples up to then can be read"
else
	skip "perf is not installed: a file that is cut off"
fi
finish
