#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs of Debian's, none of which was written for this: each prints in the image what it prints on this host.
. tests/e2e/lib.sh
here=$PWD/tests/e2e/programs

# same NAME OPTIONS... -- PROGRAM ARG...: by the same command on the host and in the image. DIR in an argument stands
# for an empty directory. Output, errors and status have to be the same.
same() {
	name=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -rf "$scratch/dir"
	mkdir "$scratch/dir"
	wanted=0
	env -i PATH=/usr/bin HOME=/ "$@" "$scratch/dir" >"$scratch/wanted" 2>"$scratch/wanted.err" </dev/null || wanted=$?
	# shellcheck disable=SC2086 # words
	barepmu run --env PATH=/usr/bin --add "$scratch/empty:$scratch/dir" $options -- "$@" "$scratch/dir"
	is "$status" "$wanted" "$name: its status"
	diff "$scratch/wanted" "$scratch/stdout" >"$scratch/diff"
	ok $? "$name: its output, $(wc -l <"$scratch/wanted") lines"
	sed 's/^/# /' "$scratch/diff"
	diff "$scratch/wanted.err" "$scratch/stderr" >"$scratch/diff"
	ok $? "$name: its errors"
	sed 's/^/# /' "$scratch/diff"
}

mkdir "$scratch/empty"
same "busybox sh" --add "$here" -- /usr/bin/busybox sh "$here/shell.sh"
same bash --add "$here" --add /usr/bin/wc -- /usr/bin/bash "$here/bash.sh"
python=$(readlink -f /usr/bin/python3)
same python3 --add "$here" --add "/usr/lib/$(basename "$python")" --memory 1024 -- "$python" "$here/python.py"
same gawk --add /usr/bin/busybox:/bin/sh --add /usr/bin/cat -- /usr/bin/gawk 'BEGIN {
	for (i = 0; i < 100000; i++) n[i % 97] += i; for (k in n) s += n[k]; print s, length(n)
	"echo piped" | getline x; print x; print "sorted" | "cat"; printf "%.3f %s\n", atan2(0, -1), toupper("abc") }'
same lua -- /usr/bin/lua5.4 -e 'local t = {} for i = 1, 10000 do t[i] = i * i end print(#t, t[1000], pcall(error, "x"))
	local f = io.open("/tmp/barepmu-lua", "w") f:write("abc") f:close() print(io.open("/tmp/barepmu-lua"):read("a"))
	os.remove("/tmp/barepmu-lua") print(string.format("%5.2f", math.pi), select("#", table.unpack({}, 1, 200)))'
# A Rust program, which reads files in four threads: found in turn, and by line.
if command -v rg >/dev/null; then
	# shellcheck disable=SC2016 # its $0 is the empty directory
	same ripgrep -- /bin/sh -c 'rg -j4 -c "[a-z]+_[a-z]+\(" kernel "$0" | sort; rg nothing "$0"; echo $?
		rg --sort path -n "TODO|list_for_each" kernel/base'
else
	skip "ripgrep: not installed"
fi

# sqlite3 reads what to do.
sqlite3 :memory: ".read $here/tables.sql" | grep -v -e wal -e memory >"$scratch/wanted"
barepmu run --add "$here" -- /usr/bin/sqlite3 /tmp/test.db ".read $here/tables.sql"
is "$status $(grep -v wal "$scratch/stdout")" "0 $(cat "$scratch/wanted")" \
	"sqlite3: a table of 5000 rows, transactions, an index"
has "$scratch/stdout" '^wal$' "sqlite3: its write-ahead log, in shared memory"

# Debian's perf counts, samples and reports inside the image.
cat >"$scratch/perf.sh" <<'X'
perf stat -x, -e instructions:u,cpu/event=0xc0,umask=0/u,page-faults /bin/work 2>/tmp/stat >/dev/null || exit 1
cat /tmp/stat
perf record -q -e instructions:u -c 100000 -o /tmp/data /bin/work >/dev/null 2>&1 || exit 2
perf report -i /tmp/data --stdio 2>/dev/null | grep -v '^#'
perf script -i /tmp/data -F comm,ip,sym 2>/dev/null | sort | uniq -c
X
perf=$(find /usr/bin -name 'perf_*' | sort | tail -n 1)
[ -n "$perf" ] || perf=/usr/bin/perf
barepmu run --env PATH=/usr/bin:/bin --add "$perf:/usr/bin/perf" --add "$scratch/perf.sh:/perf.sh" \
	--add /usr/bin/busybox:/usr/bin/grep --add /usr/bin/busybox:/usr/bin/sort --add /usr/bin/busybox:/usr/bin/uniq \
	--add /usr/bin/busybox:/usr/bin/cat -- /usr/bin/busybox sh /perf.sh
is $status 0 "perf: stat, record and report run"
is "$(grep -c ',instructions:u,.*,100.00' "$scratch/stdout")" 1 "perf stat: the event counted all the time"
counts=$(awk -F, '/u,/ { print $1 }' "$scratch/stdout" | sort -u | wc -l)
is "$counts" 1 "perf stat: an event of /sys counts what the generic one counts"
between "$(awk '/ heavy$/ && /%/ { print $1 + 0 }' "$scratch/stdout")" 57 63 \
	"perf report: heavy takes 60 % of the samples"
has "$scratch/stdout" '^ *[0-9]+ +work +[0-9a-f]+ heavy$' "perf script: the samples by symbol"

# Compressors share the work among threads: on four processors that take turns, on two that run beside each other. There
# more than the host has wait for each other in loops.
head -c 500000 "$BUILD/kernel.elf" >"$scratch/data"
for options in "" "--pmu none --smp 4" "--pmu none --smp 2 --parallel"; do
	[ "$options" != "--pmu none --smp 4" ] || unset BAREPMU_CORE
	# shellcheck disable=SC2086 # words
	barepmu run --memory 1024 $options --add "$scratch/data:/data" \
		-- /usr/bin/xz -T4 -0 -c --block-size=120000 /data
	xz -dc <"$scratch/stdout" | cmp -s - "$scratch/data"
	is "$status $?" "0 0" "xz -T4: what it packed is what it was given ${options:-on one processor}"
	# shellcheck disable=SC2086
	barepmu run --memory 1024 $options --add "$scratch/data:/data" -- /usr/bin/zstd -T4 -q -c /data
	zstd -dc <"$scratch/stdout" | cmp -s - "$scratch/data"
	is "$status $?" "0 0" "zstd -T4: the same ${options:-on one processor}"
	export BAREPMU_CORE=none
done

# A program that counts itself by libpfm4's names: it finds the processor, its events and their PMU.
gcc -O2 -o "$scratch/selfmon" tests/e2e/programs/selfmon.c -lpfm
barepmu run --pmu intel-v4 \
	-- "$scratch/selfmon" INST_RETIRED:ANY_P PERF_COUNT_HW_INSTRUCTIONS BR_INST_RETIRED:ALL_BRANCHES
is $status 0 "libpfm4: knows the events"
between "$(awk '/^INST_RETIRED/ { print $2 }' "$scratch/stdout")" 2000000 2000100 \
	"libpfm4: a loop of two million instructions"
between "$(awk '/^PERF_COUNT/ { print $2 }' "$scratch/stdout")" 2000000 2000100 "libpfm4: by the generic name"
has "$scratch/stdout" '^BR_INST_RETIRED:ALL_BRANCHES [1-9]' "libpfm4: branches"

finish
