#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# perf's cache of build ids makes a hard link of each program that it has recorded. A program keeps the path by which it
# was opened, so that the third record of a boot knows its symbols as the first does.
. tests/e2e/lib.sh
command -v perf >/dev/null || skip_all "no perf"
stock_perf
gcc -O1 -static -Wl,--build-id -x c -o "$scratch/warm" - <<'C'
static volatile unsigned long sum;

__attribute__((noinline)) void warm_place(unsigned long n)
{
	while (n--)
		sum += n;
}

int main(void)
{
	warm_place(300000);
	return 0;
}
C
cat >"$scratch/script" <<'SCRIPT'
cd /tmp
for turn in 1 2 3; do
	/perf record -q -e instructions:u -c 100000 -o data$turn /warm || exit
	/perf script -i data$turn -F ip,sym,dso | while read -r ip place; do echo "$turn $place"; done
done
for link in .debug/warm/*/elf; do
	[ "$link" -ef /warm ] && echo linked
done
SCRIPT
# shellcheck disable=SC2086
barepmu run --pmu intel-v4 --memory 512 --env HOME=/tmp $add --add "$scratch/warm:/warm" \
	--add "$scratch/script:/script" -- /bin/sh /script
is $status 0 "three records in one boot"
has "$scratch/stdout" '^linked$' "perf has made a link of the program"
for turn in 1 2 3; do
	between "$(grep -c "^$turn warm_place (/warm)\$" "$scratch/stdout")" 8 30 "record $turn knows its symbols"
done
finish
