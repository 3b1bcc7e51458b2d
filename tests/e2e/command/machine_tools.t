#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's tools that ask the machine itself: cpuid, rdmsr and wrmsr, dmidecode, likwid, by /dev/cpu and
# /sys/firmware/dmi; and PAPI.
. tests/e2e/lib.sh
for tool in cpuid rdmsr wrmsr dmidecode likwid-topology likwid-perfctr likwid-bench; do
	PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done

# from MARK: what was printed between this mark and the next.
from() {
	awk -v mark="== $1" '/^== / { on = $0 == mark; next } on' "$scratch/stdout"
}

CSTAR=0xc0000083
barepmu run --smp 2 --pmu intel-v4 --core skylake -- /bin/sh -c "PATH=/usr/sbin:/usr/bin:/sbin:/bin
echo == processors; cpuid -1 -l 0; cpuid -r -l 1
echo == read; rdmsr -a 0x10
echo == write; wrmsr -p 1 $CSTAR 0x1234560; rdmsr -p 0 $CSTAR; rdmsr -p 1 $CSTAR
echo == refused; rdmsr 0x7fff; echo status \$?
echo == bios; dmidecode -s bios-vendor; dmidecode -t 1
echo == memory; dmidecode --no-sysfs -s bios-vendor; dmidecode --no-sysfs -t 1
echo == likwid; likwid-topology
echo == raw; stat -c '%a %s' /sys/firmware/dmi/tables/smbios_entry_point
[ \$(stat -c %s /sys/firmware/dmi/tables/DMI) = \$(wc -c </sys/firmware/dmi/tables/DMI) ] && echo same size
cd /sys/firmware/dmi/tables && setpriv --reuid 1000 cat DMI; echo status \$?"
is $status 0 "status"
from processors >"$scratch/out"
has "$scratch/out" 'vendor_id = "(GenuineIntel|AuthenticAMD)"' "cpuid: the vendor"
is "$(grep -c '^CPU [01]:$' "$scratch/out")" 2 "cpuid -r: both processors"
from read >"$scratch/out"
is "$(grep -cE '^[0-9a-f]{6,}$' "$scratch/out")" 2 "rdmsr -a: the TSC of both"
from write >"$scratch/out"
is "$(tail -1 "$scratch/out")" 1234560 "wrmsr -p 1, read back"
is "$(grep -c . "$scratch/out") $(grep -cx 1234560 "$scratch/out")" "2 1" "and the other processor's stays"
from refused >"$scratch/out"
is "$(cat "$scratch/out")" "status 4" "rdmsr of a register that there is not"
has "$scratch/stderr" 'CPU 0 cannot read MSR 0x00007fff' "and says so"
from bios >"$scratch/out"
has "$scratch/out" '^SeaBIOS$' "dmidecode: the firmware"
has "$scratch/out" 'Manufacturer: QEMU' "and the machine"
from memory >"$scratch/out"
has "$scratch/out" '^SeaBIOS$' "dmidecode --no-sysfs: the same by /dev/mem"
has "$scratch/out" 'Manufacturer: QEMU' "and the machine"
from likwid >"$scratch/out"
is "$(sed -n '/^HWThread/,/^---/p' "$scratch/out" | awk '/^[0-9]/ { printf "%s:%s:%s:%s:%s ", $1, $2, $3, $4, $5 }')" \
	"0:0:0:0:0 1:0:1:0:0 " "likwid-topology: two cores of one socket"
is "$(sed -n '/^Cache Topology/,/^NUMA/p' "$scratch/out" | awk '/^Size/ { printf "%s ", $2 $3 }')" "32kB 256kB 8MB " \
	"and the caches that CPUID tells"
has "$scratch/out" '^NUMA domains:[[:space:]]+1$' "and one node"
from raw >"$scratch/out"
is "$(head -2 "$scratch/out" | tr '\n' ' ')" "400 31 same size " "the tables: mode, sizes"
is "$(tail -1 "$scratch/out")" "status 1" "a user cannot read them"

# likwid's counters, its marker API, PAPI: loops of two million instructions.
cat >"$scratch/marker.c" <<'END'
#include <likwid-marker.h>
int main(void)
{
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_REGISTER("loop");
	for (int i = 0; i < 5; i++) {
		LIKWID_MARKER_START("loop");
		__asm__ volatile("mov $1000000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
		LIKWID_MARKER_STOP("loop");
	}
	LIKWID_MARKER_CLOSE;
}
END
gcc -DLIKWID_PERFMON "$scratch/marker.c" -o "$scratch/marker" -llikwid
cat >"$scratch/papi.c" <<'END'
#include <papi.h>
#include <stdio.h>
int main(void)
{
	int set = PAPI_NULL;
	long long count = 0;
	PAPI_library_init(PAPI_VER_CURRENT);
	PAPI_create_eventset(&set);
	PAPI_add_event(set, PAPI_TOT_INS);
	PAPI_start(set);
	__asm__ volatile("mov $1000000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
	PAPI_stop(set, &count);
	printf("papi %lld\n", count);
}
END
gcc "$scratch/papi.c" -o "$scratch/papi" -lpapi
barepmu run --pmu amd-core --share "$scratch" -- /bin/sh -c "
likwid-perfctr -M 0 -C 0 -g RETIRED_INSTRUCTIONS:PMC0 spin
likwid-perfctr -M 0 -m -C 0 -g RETIRED_INSTRUCTIONS:PMC0 $scratch/marker
likwid-bench -t load -w S0:20kB:1 -i 100; $scratch/papi"
is $status 0 "likwid's counters, PAPI: status"
# counted N: what likwid-perfctr says of the N-th program.
counted() {
	awk '$2 == "RETIRED_INSTRUCTIONS" && $4 == "PMC0" { print $6 }' "$scratch/stdout" | sed -n "$1p"
}
between "$(counted 1)" 2000000 2100000 "likwid-perfctr: a program"
between "$(counted 2)" 10000010 10050000 "likwid's marker API: five regions"
has "$scratch/stdout" '^Instructions:[[:space:]]+343216$' "likwid-bench"
between "$(sed -n 's/^papi //p' "$scratch/stdout")" 2000000 2010000 "PAPI"
finish
