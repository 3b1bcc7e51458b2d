#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu record as perf record has it: three sources of call chains, all that runs, addresses, several files. What is
# written is read by stock perf.
. tests/e2e/lib.sh
command -v perf >/dev/null || skip_all "perf is not installed"
data=$scratch/perf.data

# What perf makes of a file: no warning may be among it.
profile() {
	perf report -f -i "$1" --stdio --no-children "$2" >"$scratch/profile" 2>"$scratch/warnings"
	is "$(cat "$scratch/warnings")" "" "$3: perf has nothing to complain about"
}

# Without frame pointers: only what unwinds by tables finds the callers.
cat >"$scratch/chain.c" <<'END'
static volatile long sum;
__attribute__((noinline)) void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}
__attribute__((noinline)) void middle(long n)
{
	leaf(n);
	sum++;
}
int main(void)
{
	middle(300000);
	sum++;
	return 0;
}
END
gcc -O2 -g -fomit-frame-pointer -o "$scratch/chain" "$scratch/chain.c"
barepmu record -g dwarf -e cycles:u -c 50021 -o "$data" -- "$scratch/chain"
is $status 0 "-g dwarf: status"
profile "$data" -G "-g dwarf"
is "$(grep -xE ' +(main|middle|leaf)' "$scratch/profile" | head -3 | xargs)" "main middle leaf" \
	"-g dwarf: perf unwinds a program without frame pointers"
barepmu record --call-graph lbr -e cycles:u -c 10007 -o "$data" -- work 2
profile "$data" -G "-g lbr"
has "$scratch/profile" 'do_round' "-g lbr: the caller is known"

barepmu record -a --smp 2 -e cycles -c 1000003 -o "$data" -- work 3000
profile "$data" -gnone "-a"
has "$scratch/profile" ' work +work +\[\.\] heavy' "-a: the program"
has "$scratch/profile" ' swapper +kernel.elf ' "-a: and what is not the program"

barepmu record -d -W --phys-data --pmu intel-v5 -e mem-stores:upp -c 101 -o "$data" -- work 3
is $status 0 "-d -W --phys-data: status"
perf script -f -i "$data" -F addr,weight,phys_addr,data_src >"$scratch/script" 2>/dev/null
awk '$1 !~ /^0+$/ && $NF !~ /^0+$/ { n++ } END { print (n > 0) }' "$scratch/script" >"$scratch/both"
is "$(cat "$scratch/both")" 1 "-d --phys-data: both addresses of what is stored"
has "$scratch/script" 'OP STORE' "-d: what kind of access it was"

barepmu record --switch-output=2ms -e cycles:u -c 10007 -o "$data" -- work 100
files=$(ls "$data".* | wc -l)
between "$files" 2 50 "--switch-output: several files"
has "$scratch/stderr" "in $files files" "--switch-output: and the summary tells their number"
for file in "$data".*; do
	perf report -f -i "$file" --stdio --no-children 2>&1 | awk '$NF == "heavy" && $4 == "[.]"' | wc -l
done | sort -u >"$scratch/each"
is "$(tail -1 "$scratch/each")" 1 "--switch-output: each names the functions, also of what began before it"

cat >"$scratch/attach.sh" <<'END'
/bin/work 3000 >/dev/null &
/bin/record -e cycles:u -c 1000003 -o /out/attached -p $!
END
(cd "$scratch" && exec "$BAREPMU" run --add "$scratch/attach.sh:/attach.sh" -- /bin/sh /attach.sh) \
	>"$scratch/stdout" 2>"$scratch/stderr"
perf script -f -i "$scratch/out/attached" -F comm 2>/dev/null | sort -u >"$scratch/names"
is "$(xargs <"$scratch/names")" work "-p: samples of a process that runs"
barepmu record -g sideways -- work
is $status 127 "-g takes only its own words"
barepmu record --call-graph sideways -- work
has "$scratch/stderr" 'wants fp, dwarf' "--call-graph tells them"
finish
