#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts each program's instructions and cache misses under cachegrind and on the core of that name, and prints a table.
# usage: tests/accuracy/caches.sh BUILD-DIRECTORY [L1I,L1D,LAST] [PROGRAM...]: sizes and ways as of 32K/8,32K/8,8M/16
# Exit status 1 when a program's instructions differ by more than 40 (what the C library does for entries of the
# auxiliary vector, of which the kernels have different ones: 8 instructions each, in every program alike), or its
# misses by more than 2% and 128 lines.
geometry=32K/8,32K/8,8M/16
case ${2:-} in */*,*/*,*/*)
	build=$1 geometry=$2
	shift 2
	set -- "$build" "$@"
	;;
esac
. "$(dirname "$0")/cachegrind.sh"
IFS=, read -r l1i l1d last <<END
$geometry
END

# valgrind's way to say 32K/8.
cache() {
	echo "$(numfmt --from=iec "${1%/*}"),${1#*/},64"
}

# Instructions as a processor retires them, REP once (cachegrind counts each repetition); misses of L1I, L1D and the
# last level as cachegrind counts them.
theirs() {
	grind exp-bbv "$1" --instr-count-only=yes --bb-out-file=/dev/null | awk '/Total instructions:/ { print $NF }'
	cachegrind "$1" "--I1=$(cache "$l1i")" "--D1=$(cache "$l1d")" "--LL=$(cache "$last")" |
		awk '/I1 +misses:/ { l1i = $4 } /D1 +misses:/ { l1d = $4 } /LL misses:/ { print l1i, l1d, $4 }'
}

ours() {
	counts "$1" "cachegrind,l1i=$l1i,l1d=$l1d,l3=$last" instructions:u,L1-icache-load-misses:u,r0151:u,cache-misses:u
}

printf '%-15s %12s %8s   %-23s %-23s %-23s\n' program instructions '' 'L1I misses' 'L1D misses' 'last-level misses'
failed=0
for program; do
	echo "$program" $(theirs "$program") " $(ours "$program")" | awk '
		function cell(theirs, ours) {
			if (ours - theirs > 128 || theirs - ours > 128)
				bad += ours / theirs > 1.02 || ours / theirs < 0.98
			return sprintf("%8d %8d %5.1f%%", theirs, ours, 100 * (ours / theirs - 1))
		}
		NF != 9 { print $1 ": no counts"; exit 1 }
		{
			wrong = $6 - $2 > 40 || $2 - $6 > 40
			printf "%-15s %12d %+8d   %s %s %s", $1, $2, $6 - $2, cell($3, $7), cell($4, $8), cell($5, $9)
			print wrong || bad ? "  <- differs" : ""
			exit wrong || bad
		}' || failed=1
done
exit $failed
