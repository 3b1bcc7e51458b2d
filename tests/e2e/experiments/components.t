#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Components of the simulated core: a copy of a built-in one counts as that does, a bad one ends the command with one
# line that names it, and `new --component` begins one.
. tests/e2e/lib.sh
unset BAREPMU_CORE
events=instructions:u,cycles:u,branch-misses:u,L1-dcache-load-misses:u
components=$BUILD/tests/components

# counts NAME WORDS: events and counts. The core's name, which the guest can read, is always as long.
counts() {
	barepmu stat --core "skylake,$2" -x, -e $events -- work
	sed 1,2d "$scratch/stderr" | cut -d, -f1,3 >"$scratch/$1"
}

cp "$components/copy_tage.so" "$scratch/copy-tage.so"
cd "$scratch" || exit 1
counts built-in "predictor=tage:counters=000000000013:history=93:tables=5:entries=10"
counts copy "predictor=./copy-tage.so:counters=13:history=93:tables=5:entries=10"
is "$(cat built-in)" "$(cat copy)" "a copy of the built-in predictor gives equal counts"
is "$(wc -l <copy)" 4 "a copy of the built-in predictor: four counts"

# refused WORD NAME REGEXP
refused() {
	barepmu stat --core "skylake,$1" -e $events -- true
	is "$status $(wc -l <stderr)" "125 1" "$2: one line, status 125"
	has stderr "$3" "$2: says so"
}
refused predictor=./missing.so "no file" "component './missing.so' cannot be loaded"
refused "l2-policy=$components/bad_version.so" "another version" "bad_version.so' was built for version"
refused "l2-policy=$components/bad_missing.so" "a missing function" "bad_missing.so' has no victim\(\)"
refused "l2-policy=$components/bad_way.so" "a way out of range" \
	"^barepmu: component '.*bad_way.so': victim\(\) returned way 4 of 4"
refused "l2-prefetch=$components/bad_prefetch.so" "a wild prefetch" "bad_prefetch.so': prefetches 0x"
refused "predictor=$components/bad_crash.so" "a crash" "bad_crash.so' crashed: Segmentation fault"

for kind in predictor indirect policy prefetcher; do
	barepmu new --component $kind $kind
	is $status 0 "new --component $kind"
	make -s -C $kind test component.so >log 2>&1
	is $? 0 "new --component $kind: its test passes, and it builds" || cat log >&2
done
barepmu stat --core skylake,predictor=predictor/component.so:entries=512 -x, \
	-e "$events,r1c4:u,r1c5:u,predictor.correct:u,rfb:u" -- work
is $status 0 "new --component predictor: a core runs with it"
count() {
	awk -F, -v name="$1" '$3 == name { print $1 }' stderr
}
is "$(count predictor.correct:u)" "$(($(count r1c4:u) - $(count r1c5:u)))" \
	"a component's statistic is an event: conditional branches without mispredicted ones"
is "$(count rfb:u)" "$(count predictor.correct:u)" "a component's statistic as a raw event"
between "$(awk -F, '$3 == "branch-misses:u" { print $1 }' stderr)" "$(sed -n 's/,branch-misses.*//p' copy)" 100000000 \
	"not better than the core's own"
barepmu stat --core skylake,predictor=predictor/component.so -e predictor.wrong -- true
has stderr "unknown event 'predictor.wrong'" "a statistic that the component does not have"
barepmu new --component predicter other
has stderr "did you mean 'predictor'" "an unknown kind: the nearest"
cat >plus.cpp <<'X'
#include "predictor/sim.h"
namespace {
int state;
void *create(const sim_host *, const uint64_t *, uint64_t *) { return &state; }
void destroy(void *) {}
bool step(void *, uint64_t, bool, uint64_t) { return true; }
const sim_direction direction = {nullptr, nullptr, step, nullptr, 0};
const sim_component component = {SIM_VERSION, SIM_DIRECTION, 0, 0, "plus", "always", nullptr, nullptr, create, destroy,
	&direction, nullptr, nullptr, nullptr};
}
SIM_COMPONENT(component)
X
if command -v g++ >/dev/null; then
	g++ -Wall -Wextra -Werror -shared -fPIC plus.cpp -o plus.so
	is $? 0 "a component in C++ builds"
else
	skip "g++ is not installed"
fi
finish
