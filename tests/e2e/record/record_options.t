#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu record with perf record's options: three sources of call chains, all tasks, addresses, several files. Stock
# perf reads the files.
. tests/e2e/lib.sh
command -v perf >/dev/null || skip_all "perf is not installed"
data=$scratch/perf.data

# profile FILE FIELDS NAME: perf's report of a file, which must come without a warning.
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
barepmu record --call-graph lbr -e cycles:u -c 10007 -o "$data" -- work 1
profile "$data" -G "-g lbr"
has "$scratch/profile" 'do_round' "-g lbr: the caller is known"

# Processors that take turns sample the same in every run.
barepmu record -a --smp 2 --core skylake -e cpu-clock -c 20003 -o "$data" -- work 20
profile "$data" -gnone "-a"
has "$scratch/profile" ' work +work +\[\.\] heavy' "-a: the program"
has "$scratch/profile" ' swapper +kernel.elf ' "-a: and what is not the program"

barepmu record -d -W --phys-data --pmu intel-v5 -e mem-stores:upp -c 101 -o "$data" -- work 3
is $status 0 "-d -W --phys-data: status"
perf script -f -i "$data" -F addr,weight,phys_addr,data_src >"$scratch/script" 2>/dev/null
awk '$1 !~ /^0+$/ && $NF !~ /^0+$/ { n++ } END { print (n > 0) }' "$scratch/script" >"$scratch/both"
is "$(cat "$scratch/both")" 1 "-d --phys-data: both addresses of what is stored"
has "$scratch/script" 'OP STORE' "-d: what kind of access it was"

# Its leader alone is sampled; each sample has the counts of both since the one before.
barepmu record -e '{instructions,branches}:Su' -c 100003 -o "$data" -- work 3
perf script -f -i "$data" -F event,period >"$scratch/script" 2>/dev/null
grep -c instructions "$scratch/script" >"$scratch/leads"
between "$(cat "$scratch/leads")" 1 3 "{}:S: samples of the leader's period"
is "$(grep -c branches "$scratch/script")" "$(cat "$scratch/leads")" "{}:S: each tells the other's count"
awk '/branches/ { print ($1 > 5000 && $1 < 100003) }' "$scratch/script" | sort -u >"$scratch/plausible"
is "$(cat "$scratch/plausible")" 1 "{}:S: which is no period"

# Golden Cove counts loads by latency only beside an auxiliary event.
barepmu record --pmu intel-v5 -W -d -e '{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=3/}:uP' -c 1009 -o "$data" -- work 3
is $status 0 "mem-loads of intel-v5, in a group with mem-loads-aux: status"
perf script -f -i "$data" -F event,addr,data_src >"$scratch/script" 2>/dev/null
has "$scratch/script" 'mem-loads,.*OP LOAD' "mem-loads of intel-v5: samples have the data source"
barepmu report --html "$scratch/page.html" "$data"
has "$scratch/page.html" '<circle.*cycles<' "report --html: it is of the event that has samples, not of the first"
barepmu record --pmu intel-v5 -W -d -e mem-loads:P -o "$data" -- work
has "$scratch/stderr" "only after another event: -e '\{cpu/mem-loads-aux/" "mem-loads alone: what is missing"

# Through a pipe: equal samples in other records; the program's output gives way to them. Exact events only: in between
# record does other work, which caches remember.
for to in "$data" -; do
	(cd "$scratch" && exec "$BAREPMU" record -g -e branches:u,instructions:u -c 10007 -o "$to" -- work 3) \
		>"$scratch/stdout" 2>"$scratch/stderr"
	[ "$to" = - ] || mv "$scratch/stdout" "$scratch/printed"
done
has "$scratch/stderr" "^$(cat "$scratch/printed")\$" "-o -: the program prints to stderr"
has "$scratch/stderr" '[0-9]+ samples of branches:u,instructions:u for standard output' "-o -: what the summary says"
# At its end perf gives a tip, another one each second.
perf report -f -i "$data" --stdio --no-children 2>&1 | grep -v '^# (Tip: ' >"$scratch/file"
perf report -i - --stdio --no-children <"$scratch/stdout" 2>&1 | grep -v '^# (Tip: ' >"$scratch/pipe"
is "$(cat "$scratch/pipe")" "$(cat "$scratch/file")" "-o -: perf reads from the pipe what it reads from a file"
perf report -i - --header-only --stdio <"$scratch/stdout" >"$scratch/pipe" 2>&1
has "$scratch/pipe" '^# cpudesc : skylake, emulated' "-o -: and where it comes from"
script -qec "$BAREPMU record -o - -- work" /dev/null >"$scratch/stderr" </dev/null
has "$scratch/stderr" 'samples are not for a terminal' "-o -: nothing for a terminal"
barepmu record -o - --switch-output -- work
has "$scratch/stderr" 'writes several files' "-o -: nor in several files"
barepmu image -o - -- work
has "$scratch/stderr" 'not written to a pipe' "image -o -: neither"
is "$(find . "$scratch" -maxdepth 1 -name -)" "" "no file is called -"
barepmu stat -e instructions:u -o - -- work
has "$scratch/stderr" '^ +[0-9,]+ +instructions:u' "stat -o -: to stderr, as perf has it"

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
# perf's long options are its short ones; the kernel's limit is 100,000 samples a second.
barepmu record --freq=max --event cycles:u --output "$scratch/long.data" -- work 20
is $status 0 "--freq=max, --event, --output"
has "$scratch/stderr" 'samples of cycles:u for .*long.data' "--freq=max, --event, --output: what was recorded"
perf script -f -i "$scratch/long.data" --header-only 2>/dev/null >"$scratch/header"
has "$scratch/header" 'sample_freq } = 100000|freq = 1.*100000' "--freq=max: as many as are allowed"
barepmu report -f -n --input "$scratch/long.data" -s sym
has "$scratch/stdout" '\[.\] heavy$' "report -s sym, --input"
barepmu record -g sideways -- work
is "$status $(cat "$scratch/stderr")" "125 barepmu: -g takes fp, dwarf or lbr, not 'sideways'" \
	"-g takes only its own words"
barepmu record -o /dev/full -- work
is "$status $(grep -c 'wrote' "$scratch/stderr")" "125 0" "nothing says that a file was written without room for it"
has "$scratch/stderr" "cannot write '/dev/full': No space left" "no room for the file: the error says so"
barepmu record --call-graph sideways -- work
has "$scratch/stderr" 'wants fp, dwarf' "--call-graph tells them"

# Precise samples are never replaced by others without a word.
barepmu record --pmu core-duo -e cycles:pp -o "$scratch/precise.data" -- spin 1000
is $status 125 "cycles:pp without PEBS: status"
has "$scratch/stderr" "no precise samples \(:p\) of 'cycles:pp' here: they need PEBS" "cycles:pp without PEBS: why"
finish
