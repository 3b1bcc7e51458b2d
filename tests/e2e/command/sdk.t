#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SDK's names of events, regions, likwid's macros, C++ and Python, in the image and on Linux.
. tests/e2e/lib.sh

cat >"$scratch/names.c" <<'X'
#include <barepmu.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct barepmu pmu;
		if (barepmu_open(&pmu, argv[i])) {
			printf("%s: %s\n", argv[i], pmu.error);
		} else {
			barepmu_begin(&pmu);
			__asm__ volatile("mov $10000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
			barepmu_end(&pmu);
			barepmu_print(&pmu, argv[i], 1);
		}
		barepmu_close(&pmu);
	}
	return 0;
}
X
cat >"$scratch/regions.c" <<'X'
#define BAREPMU_REGIONS_HERE
#include <likwid-marker.h>
static void loop(int n) { __asm__ volatile("1: dec %0\njnz 1b" : "+r"(n) : : "cc"); }
static void *thread(void *unused)
{
	barepmu_enter("thread");
	loop(1000);
	barepmu_leave("thread");
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	double counts[4];
	int nr = 4, calls;
	double time;
	LIKWID_MARKER_INIT;
	for (int i = 0; i < 3; i++) {
		LIKWID_MARKER_START("outer");
		loop(1000);
		barepmu_enter("inner");
		loop(2000);
		barepmu_leave("inner");
		LIKWID_MARKER_STOP("outer");
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	LIKWID_MARKER_GET("outer/inner", &nr, counts, &time, &calls);
	printf("%d %d %.0f\n", nr, calls, counts[0]);
	LIKWID_MARKER_CLOSE;
	return 0;
}
X
cat >"$scratch/scope.cpp" <<'X'
#define BAREPMU_REGIONS_HERE
#include <barepmu.hpp>
static void loop(int n) { __asm__ volatile("1: dec %0\njnz 1b" : "+r"(n) : : "cc"); }
static void fails()
{
	bare::region region("fails");
	loop(1000);
	throw 1;
}
int main()
{
	try {
		fails();
	} catch (int) {
	}
	bare::counters pmu("instructions,branches");
	auto counts = pmu.measure([] { loop(5000); });
	printf("%.0f %.0f\n", counts[0], counts[1]);
	try {
		bare::counters wrong("no-such-event");
	} catch (const std::runtime_error &error) {
		printf("%s\n", error.what());
	}
}
X
cat >"$scratch/regions.py" <<'X'
import barepmu
counters = barepmu.Counters("instructions:u,branches:u")
def work(n):
    with counters:
        for i in range(n):
            pass
    counts = counters.counts()
    counters.reset()
    return counts
work(10)
small, large = work(1000), work(2000)
print(sorted(small), large["instructions:u"] > small["instructions:u"] > 1000)
try:
    barepmu.Counters("no-such-event")
except barepmu.Error as error:
    print(error)
with barepmu.region("outer"), barepmu.region("inner"):
    work(10)
X
for program in names regions; do
	gcc -static -O2 -Wall -Wextra -I"$BUILD/sdk" -DLIKWID_PERFMON -pthread -o "$scratch/$program" "$scratch/$program.c"
	is $? 0 "$program.c is compiled"
done
g++ -static -O2 -Wall -Wextra -I"$BUILD/sdk" -o "$scratch/scope" "$scratch/scope.cpp"
is $? 0 "scope.cpp is compiled"

set -- instructions instructions:k cpu/event=0xc4,umask=0/u page-faults L1-dcache-loads,instructions r00c0 nonsense \
	INST.ANY
# expect: what the names give, of each output in $scratch/stdout.
expect() {
	has "$scratch/stdout" '^instructions: (1999|2000)[0-9].00 instructions ' "$1: a generic name"
	has "$scratch/stdout" '^instructions:k: [0-9.]+ instructions:k ' "$1: a modifier"
	has "$scratch/stdout" '^cpu/event=0xc4,umask=0/u: (999|1000)[0-9].00 cpu' "$1: a PMU's terms"
	has "$scratch/stdout" '^page-faults: 0.00 page-faults ' "$1: a software event"
	has "$scratch/stdout" '^L1-dcache-loads,instructions: .* (1999|2000)[0-9].00 instructions ' "$1: a cache event"
	has "$scratch/stdout" '^r00c0: (1999|2000)[0-9].00 r00c0 ' "$1: a raw code"
	has "$scratch/stdout" "^nonsense: no such event 'nonsense'\$" "$1: an unknown name"
	has "$scratch/stdout" "^INST.ANY: no such event 'INST.ANY': for vendors' names -DBAREPMU_LIBPFM -lpfm\$" \
		"$1: a vendor's name without libpfm4"
}
barepmu run --core skylake -- "$scratch/names" "$@"
expect "in the image"
barepmu run --pmu core-duo -- "$scratch/names" branches,branch-misses,cache-misses
has "$scratch/stdout" ": 'cache-misses' does not fit: it has no counter beside the 2 events before it\$" \
	"a third event of two counters"
barepmu run --pmu none -- "$scratch/names" instructions
has "$scratch/stdout" '^instructions: [1-9][0-9.]* nanoseconds \(1 regions, by clock_gettime\)$' \
	"without a PMU: the clock"
has "$scratch/stderr" "does not count 'instructions': .*: nanoseconds of the clock instead" \
	"without a PMU: a line says so"

# regions FORMAT REGEXP NAME: a line of the regions' output.
regions() {
	barepmu run --core skylake --env BAREPMU_EVENTS=branches --env "BAREPMU_FORMAT=$1" -- "$scratch/regions"
	has "$scratch/stderr" "$2" "$3"
}
regions table '^outer/inner +3 +1 +600[0-9]$' "regions: nested"
has "$scratch/stderr" '^outer +3 +1 +9[0-4][0-9][0-9]$' "regions: the outer one has all"
has "$scratch/stderr" '^thread +2 +2 +200[0-9]$' "regions: of two threads"
has "$scratch/stdout" '^1 3 600[0-9]$' "LIKWID_MARKER_GET"
regions csv '^"outer/inner",3,1,600[0-9]$' "regions as CSV"
regions json '^\{"region": "outer/inner", "calls": 3, "threads": 1, "branches": 600[0-9]\}$' "regions as JSON"

barepmu run --core skylake --env BAREPMU_EVENTS=branches -- "$scratch/scope"
has "$scratch/stdout" '^(999|1000)[0-9] 500[0-9]$' "C++: measure()"
has "$scratch/stdout" "^barepmu: no such event 'no-such-event'\$" "C++: an exception"
has "$scratch/stderr" '^fails +1 +1 +[1-9][0-9]{3,6}$' "C++: a region that an exception ends"
python() {
	has "$scratch/stdout" "^\\['branches:u', 'instructions:u'\\] True\$" "Python $1: counts"
	has "$scratch/stdout" "^no such event 'no-such-event'\$" "Python $1: an error"
	has "$scratch/stderr" '^outer/inner +1 +1 +[1-9]' "Python $1: nested regions"
}
barepmu run --share "$scratch" --env PYTHONPATH="$BUILD/sdk" -- python3 "$scratch/regions.py"
python "in the image"

if have_linux; then
	# One start of Linux for all: C, C++ and Python, which gets the modules that it imports.
	python=$(readlink -f /usr/bin/python3)
	PYTHONPATH=$BUILD/sdk "$python" -c 'import barepmu, sys
for module in list(sys.modules.values()):
    file = getattr(module, "__file__", None) or ""
    if file.startswith("/usr/lib/python3"):
        print(file)' 2>/dev/null | sort -u >"$scratch/modules"
	xargs cp --parents -t "$scratch" <"$scratch/modules"
	home=$(sed -n 's,\(/usr/lib/python3[^/]*\)/.*,\1,p' "$scratch/modules" | head -1)
	ffi=$(ldd "$(grep _ctypes "$scratch/modules")" | grep -o '/[^ ]*libffi[^ ]*')
	linux_quickly --core skylake --env BAREPMU_EVENTS=branches --env PYTHONPATH=/sdk \
		--add "$BUILD/sdk/barepmu.py:/sdk/barepmu.py" --add "$BUILD/sdk/libbarepmu.so:/sdk/libbarepmu.so" \
		--add "$scratch$home:$home" --add "$ffi:$ffi" --add "$python:$python" --add "$scratch/names:/names" \
		--add "$scratch/regions:/regions" --add "$scratch/scope:/scope" --add "$scratch/regions.py:/regions.py" -- \
		/bin/sh -c "/names \"\$@\"; /regions; /scope; exec $python /regions.py" sh "$@"
	expect "on Linux"
	has "$scratch/stderr" '^outer/inner +3 +1 +600[0-9]$' "on Linux: nested regions"
	has "$scratch/stdout" '^(999|1000)[0-9] 500[0-9]$' "on Linux: C++, measure()"
	has "$scratch/stderr" '^fails +1 +1 +[1-9][0-9]{3,6}$' "on Linux: C++, a region that an exception ends"
	python "on Linux"
else
	skip "there is no Linux kernel to compare with"
fi
finish
