#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stock perf's uses of PEBS on the default PMU, a Skylake with records of format 3: perf mem on Debian's kernel;
# perf mem, perf c2c and precise cycles in the image.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"
command -v perf >/dev/null || skip_all "no perf"
stock_perf

# samples WORDS: how many lines of the output match.
samples() {
	grep -Ec -- "$1" "$scratch/stdout"
}

memory() {
	between "$(samples 'mem-loads.*OP LOAD.LVL .*hit')" 20 100000 "$where: perf mem: loads have their level"
	between "$(samples 'mem-stores.*OP STORE.LVL L1')" 20 100000 "$where: perf mem: stores have theirs"
	between "$(samples 'mem-(loads|stores).* (heavy|medium|light)')" 20 100000 "$where: perf mem: of the program"
}

where="Debian's kernel"
# shellcheck disable=SC2086 # words
linux_plainly -v $add --add "$BUILD/apps/work:/loads" -- "$(readlink -f $loader)" /bin/sh -c '
read -r most </sys/bus/event_source/devices/cpu/caps/max_precise
echo "most $most"
/perf mem record -q --ldlat 3 -c 5000 -o /tmp.data /loads >/dev/null 2>&1
/perf script -i /tmp.data -F event,ip,addr,data_src,sym 2>/dev/null'
is $status 0 "$where: perf runs"
is "$(samples '^most 3$')" 1 "$where: precise_ip up to 3"
memory
has "$scratch/stderr" 'Performance Events: PEBS fmt3\+, Skylake events' "$where: the driver's line"
! grep -Eq 'unknown reason|Dazed|unchecked MSR|PEBS disabled' "$scratch/stderr"
ok $? "$where: without complaint"

where=image
cp "$BUILD/apps/work" "$BUILD/apps/spin" "$scratch"
cd "$scratch" || exit 1
barepmu run --env "PERF=$(command -v perf)" -- sh -c '
$PERF mem record -q --ldlat 3 -c 1000 -o /out/mem.data ./work
$PERF c2c record -q --ldlat 3 -c 1000 -o /out/c2c.data ./work
$PERF record -q -e cycles:upp -c 2000 -o /out/cycles.data ./spin 100000'
is $status 0 "$where: perf runs"
perf script -i out/mem.data -F event,ip,addr,data_src,sym >"$scratch/stdout" 2>/dev/null
memory
perf c2c report -i out/c2c.data --stats >"$scratch/stdout" 2>/dev/null
between "$(awk -F: '/^ *Load Operations/ { print $2 }' "$scratch/stdout")" 20 100000 "$where: perf c2c: loads"
between "$(awk -F: '/^ *Store Operations/ { print $2 }' "$scratch/stdout")" 20 100000 "$where: perf c2c: stores"
perf script -D -i out/cycles.data >"$scratch/stdout" 2>/dev/null
between "$(samples 'cycles:upp:.* spin_loop')" 45 200 "$where: precise cycles are in the loop"
is "$(samples 'PERF_RECORD_SAMPLE\(IP, 0x4002\)')" "$(samples 'PERF_RECORD_SAMPLE\(IP')" "$where: and exact"
finish
