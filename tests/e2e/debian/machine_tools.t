#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's tools that ask the machine itself: cpuid, rdmsr and wrmsr, dmidecode, likwid, by /dev/cpu and
# /sys/firmware/dmi; PAPI, and the groups of other microbenchmarks' libraries.
. tests/e2e/lib.sh
for tool in cpuid rdmsr wrmsr dmidecode likwid-topology likwid-perfctr likwid-bench; do
	PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done

# from MARK: what was printed between this mark and the next.
from() {
	awk -v mark="== $1" '/^== / { on = $0 == mark; next } on' "$scratch/stdout"
}

# The event group of martinus' nanobench, by its flags and in its order. The last of 102 readings is of a million
# rounds; the least reading of empty rounds is subtracted.
cat >"$scratch/group.c" <<'END'
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define NR 6
static const uint32_t events[NR][2] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}, {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES}, {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS}, {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES}};
int main(void)
{
	uint64_t counts[3 + 2 * NR], least[NR], ids[NR];
	int group = -1, bad = 0;
	for (int i = 0; i < NR; i++) {
		struct perf_event_attr attr = {.size = sizeof(attr), .type = events[i][0], .config = events[i][1]};
		attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
		group = group < 0 ? fd : group;
		bad |= ioctl(fd, PERF_EVENT_IOC_ID, &ids[i]);
		least[i] = UINT64_MAX;
	}
	for (int run = 0; run < 102; run++) {
		long rounds = run < 100 ? 1 : 1000001;
		bad |= ioctl(group, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		bad |= ioctl(group, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds));
		bad |= ioctl(group, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		bad |= read(group, counts, sizeof(counts)) != sizeof(counts) || counts[0] != NR;
		bad |= counts[1] != counts[2];
		for (int i = 0; i < NR; i++) {
			bad |= counts[4 + 2 * i] != ids[i];
			if (run < 100 && counts[3 + 2 * i] < least[i])
				least[i] = counts[3 + 2 * i];
		}
	}
	printf("%d", bad);
	for (int i = 0; i < NR; i++)
		printf(" %ld", (long)(counts[3 + 2 * i] - least[i]));
	printf("\n");
}
END
gcc -O1 "$scratch/group.c" -o "$scratch/group"

CSTAR=0xc0000083
barepmu run --smp 2 --pmu intel-v4 --core skylake --share "$scratch" -- /bin/sh -c "PATH=/usr/sbin:/usr/bin:/sbin:/bin
echo == group; $scratch/group
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
from group >"$scratch/out"
is "$(cut -d' ' -f 1,2,4,5,6 "$scratch/out")" "0 0 0 2000000 1000000" \
	"nanobench's group: faults, switches, instructions, branches"
between "$(cut -d' ' -f3 "$scratch/out")" 700000 1200000 "nanobench's group: reference cycles"
between "$(cut -d' ' -f7 "$scratch/out")" 0 20 "nanobench's group: hardly a branch is mispredicted"
from processors >"$scratch/out"
has "$scratch/out" 'vendor_id = "(GenuineIntel|AuthenticAMD)"' "cpuid: the vendor"
is "$(grep -c '^CPU [01]:$' "$scratch/out")" 2 "cpuid -r: both processors"
from read >"$scratch/out"
is "$(grep -cE '^(CPU [01]: )?[0-9a-f]{6,}$' "$scratch/out")" 2 "rdmsr -a: the TSC of both"
from write >"$scratch/out"
is "$(tail -1 "$scratch/out")" 1234560 "wrmsr -p 1, read back"
is "$(grep -c . "$scratch/out") $(grep -cx 1234560 "$scratch/out")" "2 1" \
	"wrmsr -p 1: the other processor's register is unchanged"
from refused >"$scratch/out"
is "$(cat "$scratch/out")" "status 4" "rdmsr of a register that there is not"
has "$scratch/stderr" 'CPU 0 cannot read MSR 0x00007fff' "rdmsr of a missing register: the error names it"
from bios >"$scratch/out"
has "$scratch/out" '^(SeaBIOS|qboot)$' "dmidecode: the firmware"
has "$scratch/out" 'Manufacturer: QEMU' "dmidecode: the machine"
from memory >"$scratch/out"
has "$scratch/out" '^(SeaBIOS|qboot)$' "dmidecode --no-sysfs: the same by /dev/mem"
has "$scratch/out" 'Manufacturer: QEMU' "dmidecode --no-sysfs: the machine"
from likwid >"$scratch/out"
is "$(sed -n '/^HWThread/,/^---/p' "$scratch/out" | awk '/^[0-9]/ { printf "%s:%s:%s:%s:%s ", $1, $2, $3, $4, $5 }')" \
	"0:0:0:0:0 1:0:1:0:0 " "likwid-topology: two cores of one socket"
is "$(sed -n '/^Cache Topology/,/^NUMA/p' "$scratch/out" | awk '/^Size/ { printf "%s ", $2 $3 }')" "32kB 256kB 8MB " \
	"likwid-topology: the caches of CPUID"
has "$scratch/out" '^NUMA domains:[[:space:]]+1$' "likwid-topology: one node"
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
# As google-benchmark built with libpfm, which Debian's is not: --benchmark_perf_counters of its perf_counters.cc,
# events by libpfm's names in an inherited, pinned group, and two readings of it around a loop.
cat >"$scratch/google.c" <<'END'
#include <perfmon/pfmlib_perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#define NR 2
int main(void)
{
	static const char *const names[NR] = {"CYCLES", "INSTRUCTIONS"};
	uint64_t before[1 + NR], after[1 + NR];
	int leader = -1, bad = pfm_initialize() != PFM_SUCCESS;
	for (int i = 0; i < NR; i++) {
		struct perf_event_attr attr = {.size = sizeof(attr)};
		pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
		bad |= pfm_get_os_event_encoding(names[i], PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS;
		attr.disabled = attr.pinned = leader < 0;
		attr.inherit = attr.exclude_kernel = attr.exclude_hv = 1;
		attr.read_format = PERF_FORMAT_GROUP;
		int fd = perf_event_open(&attr, 0, -1, leader, 0);
		bad |= fd < 0;
		leader = leader < 0 ? fd : leader;
	}
	bad |= ioctl(leader, PERF_EVENT_IOC_ENABLE);
	bad |= read(leader, before, sizeof(before)) != sizeof(before);
	__asm__ volatile("mov $1000000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
	bad |= read(leader, after, sizeof(after)) != sizeof(after) || after[0] != NR;
	printf("google %d %ld %ld\n", bad, (long)(after[1] - before[1]), (long)(after[2] - before[2]));
}
END
gcc "$scratch/google.c" -o "$scratch/google" -lpfm
# Debian's library itself: a thousand rounds, and its message about counters.
cat >"$scratch/library.cc" <<'END'
#include <benchmark/benchmark.h>
static void rounds(benchmark::State &state)
{
	for (auto _ : state) {
		long n = 1000;
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
	}
}
BENCHMARK(rounds);
BENCHMARK_MAIN();
END
library=
if g++ -O2 "$scratch/library.cc" -o "$scratch/library" -lbenchmark 2>/dev/null; then
	library="$scratch/library --benchmark_min_time=0.002 --benchmark_format=csv --benchmark_perf_counters=CYCLES"
fi
barepmu run --pmu amd-core --share "$scratch" -- /bin/sh -c "
$library
likwid-perfctr -M 1 -C 0 -g RETIRED_INSTRUCTIONS:PMC0 spin
likwid-perfctr -M 1 -m -C 0 -g RETIRED_INSTRUCTIONS:PMC0 $scratch/marker
likwid-bench -t load -w S0:20kB:1 -i 100; $scratch/papi; $scratch/google"
is $status 0 "likwid's counters, PAPI: status"
# counted N: what likwid-perfctr says of the N-th program.
counted() {
	awk '$2 == "RETIRED_INSTRUCTIONS" && $4 == "PMC0" { print $6 }' "$scratch/stdout" | sed -n "$1p"
}
between "$(counted 1)" 2000000 2100000 "likwid-perfctr: a program"
between "$(counted 2)" 10000010 10050000 "likwid's marker API: five regions"
has "$scratch/stdout" '^Instructions:[[:space:]]+343216$' "likwid-bench"
between "$(sed -n 's/^papi //p' "$scratch/stdout")" 2000000 2010000 "PAPI"
if [ -n "$library" ]; then
	# An instruction takes a nanosecond there: DEC and JNZ, and the library's own loop.
	between "$(awk -F, '$1 == "\"rounds\"" { print $3 }' "$scratch/stdout")" 2000 2010 "google-benchmark: nanoseconds"
	has "$scratch/stderr" '^Performance counters not supported' "google-benchmark: Debian's library has no counters"
else
	skip "libbenchmark-dev or g++ is not installed"
fi
has "$scratch/stdout" '^google 0 ' "google-benchmark's group opens, counts and is read"
between "$(awk '$1 == "google" { print $3 }' "$scratch/stdout")" 1000000 3000000 "cycles"
between "$(awk '$1 == "google" { print $4 }' "$scratch/stdout")" 2000000 2000200 "instructions"
finish
