#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The core's caches alone, on the trace of a small run of each kind of program: cachegrind's counts, to the miss.
. tests/e2e/lib.sh
command -v valgrind >/dev/null || skip_all "valgrind is not installed"

# theirs GEOMETRY... -- COMMAND...
theirs() {
	valgrind --vex-guest-chase=no --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		tr -d ',' |
		awk '/I +refs:/ { i = $4 } /I1 +misses:/ { l1i = $4 } /D1 +misses:/ { l1d = $4 }
			/LL misses:/ { print i, l1i, l1d, $4 }'
}

# ours CORE COMMAND...
ours() {
	core=$1
	shift
	valgrind --vex-guest-chase=no --tool=lackey --trace-mem=yes --log-fd=9 "$@" 9>&1 >/dev/null 2>&1 |
		"$BUILD/tests/accuracy/trace" "$core"
}

while read -r program size; do
	is "$(ours cachegrind "$BUILD/tests/accuracy/$program" "$size")" \
		"$(theirs --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 "$BUILD/tests/accuracy/$program" "$size")" "$program"
done <<END
sort 600
matrix 24
hash 1500
code 3000
END
# Small caches, so that a small run fills the last level. cachegrind looks there for both lines of an access when one
# missed L1.
set -- $(ours cachegrind,l1i=4K/2,l1d=8K/2,l3=32K/4 "$BUILD/tests/accuracy/tree" 800) \
	$(theirs --I1=4096,2,64 --D1=8192,2,64 --LL=32768,4,64 "$BUILD/tests/accuracy/tree" 800)
is "$1 $2 $3" "$5 $6 $7" "tree, in small caches"
between "$4" $(($8 * 99 / 100)) $(($8 * 101 / 100)) "misses of its last level"
finish
