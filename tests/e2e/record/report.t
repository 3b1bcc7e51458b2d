#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `report`: the table, the flame graph, two profiles compared, the page; in a browser where there is one.
. tests/e2e/lib.sh
barepmu record -g -c 20011 -o "$scratch/a.data" -- work
barepmu record -g -c 200000 -o "$scratch/b.data" -- work 300

barepmu report --stdio "$scratch/a.data"
# Six tenths of its steps are heavy, give or take three standard deviations of 2,800 samples.
has "$scratch/stdout" '^ +(5[7-9]|6[0-3])\.[0-9]+%.* heavy$' "the table"
barepmu report --sort symbol "$scratch/a.data"
is "$(awk '$NF == "heavy"' "$scratch/stdout" | wc -w)" 4 "--sort symbol: nothing but the function"
barepmu report --sort comm,dso "$scratch/a.data"
has "$scratch/stdout" '^ +(100|[5-9][0-9])\.[0-9]+% +[0-9]+  work +work *$' "--sort comm,dso: one line for the program"
barepmu report --sort color "$scratch/a.data"
one_line "--sort of what is no key"
barepmu report "$scratch/a.data" "$scratch/b.data"
is "$status $(cat "$scratch/stderr")" "125 report: it takes one profile, not besides $scratch/b.data" "two profiles"
barepmu report --flame -o "$scratch/named.svg" "$scratch/a.data"
barepmu report --flame "$scratch/a.data" -o "$scratch/named2.svg"
barepmu report "$scratch/a.data" --flame "$scratch/named3.svg"
is "$(cat "$scratch"/named*.svg | sort -u | md5sum)" "$(sort -u "$scratch/named3.svg" | md5sum)" \
	"-o names the file of --flame, in any order"
is "$(ls "$scratch"/named*.svg | wc -l)" 3 "-o: each order has its picture"
cksum <"$scratch/a.data" >"$scratch/before"
barepmu report --flame "$scratch/a.data"
is "$status $(cat "$scratch/stderr")" \
	"125 report: a picture must not replace a profile: --flame FILE.svg PROFILE" "--flame of a profile alone"
is "$(cksum <"$scratch/a.data")" "$(cat "$scratch/before")" "the profile is as before"
barepmu report --percent-limit 2 "$scratch/a.data"
is "$status $(cat "$scratch/stderr")" "125 report: unknown option '--percent-limit': see \`report -h\`" \
	"an option that report does not have: one line"
# Each function is one object's, whether it is a caller or called.
barepmu report --callgrind -o "$scratch/a.cg" "$scratch/a.data"
is "$(sed -n 's/^cob=//p' "$scratch/a.cg" | sort -u | grep -vxF "$(sed -n 's/^ob=//p' "$scratch/a.cg")")" "" \
	"--callgrind: the objects of callees are those of functions"
barepmu report --children --callers "$scratch/a.data"
children() {
	awk -v f="$1" '$NF == f && / \[/ { sub("%", "", $1); print $1 }' "$scratch/stdout"
}
perf report -f -i "$scratch/a.data" --stdio --children -g none >"$scratch/theirs" 2>/dev/null
for function in main descend heavy; do
	is "$(children $function)" "$(awk -v f=$function '$NF == f { sub("%", "", $1); print $1 }' "$scratch/theirs")" \
		"--children: $function has what stock perf says"
done
between "$(awk '$NF == "main" && / \[/ { sub("%", "", $2); print $2 }' "$scratch/stdout")" 0 1 \
	"--children: of which nothing is its own"
is "$(awk '$NF == "heavy" && / \[/ { getline; print $2, $3 }' "$scratch/stdout")" "from do_round" "--callers: of heavy"
# Code that a program generates: its names come home beside the profile.
musl-gcc -static -O2 -Wall -Wextra -o "$scratch/jit" tests/e2e/programs/jit.c
barepmu record -o "$scratch/jit.data" -- "$scratch/jit"
has "$scratch/stderr" 'jit.data, with names of generated code, PMU' "generated code: what record says"
barepmu report --sort dso,symbol "$scratch/jit.data"
between "$(awk '/\[JIT\] .* by map:~1$/ { print $1 + 0 }' "$scratch/stdout")" 64 68 \
	"generated code: a name of /tmp/perf-PID.map"
between "$(awk '/\[JIT\] .* by_dump$/ { print $1 + 0 }' "$scratch/stdout")" 31 35 \
	"generated code: a name of a jitdump file"
# The leader's samples are also samples of its group's other events, each with the count since the sample before.
barepmu record -g -e '{instructions,branches}:Su' -c 100003 -o "$scratch/group.data" -- work 100
barepmu report --callers "$scratch/group.data"
is "$(grep 'Event count' "$scratch/stdout" | sort -u)" \
	"$(perf report -f -i "$scratch/group.data" --stdio 2>/dev/null | grep 'Event count' | sort -u)" \
	"a group's events: what stock perf says"
is "$(awk '$NF == "heavy" && / \[/ { getline; print $2, $3 }' "$scratch/stdout" | xargs)" \
	"from do_round from do_round" "a group's event has callers"
barepmu report --flame "$scratch/flame.svg" -i "$scratch/a.data"
is $status 0 "--flame: status"
has "$scratch/flame.svg" 'data-n="heavy"><title>heavy \([0-9]+ events, (5[7-9]|6[0-3])\.[0-9]+ %\)' "a function's share"
main_share() {
	sed -n 's/.*data-w="\([0-9.]*\)" data-n="main".*/\1/p' "$1" | head -1
}
between "$(main_share "$scratch/flame.svg")" 0.98 1 "main is nearly all of it"
is "$(flame_levels "$scratch/flame.svg" descend |
	awk -v base="$(flame_levels "$scratch/flame.svg" do_round | head -1)" '$1 < base' | wc -l)" 9 \
	"a recursion is as high as it is deep"
is "$(grep -c 'http' "$scratch/flame.svg")" 1 "nothing but the name space comes from elsewhere"
barepmu report --flame "$scratch/diff.svg" --diff "$scratch/b.data" "$scratch/a.data"
has "$scratch/diff.svg" 'heavy \([0-9]+ events, [0-9.]+ %, before [56][0-9]\.[0-9]+ %, change [+-][0-9.]+\)' \
	"--diff: both shares"
barepmu report --html "$scratch/page.html" "$scratch/a.data"
for part in Functions Calls 'Over time' Code 'Hottest instructions'; do
	has "$scratch/page.html" "<h2>$part</h2>" "--html: $part"
done
barepmu report --annotate "$scratch/a.data"
has "$scratch/stdout" '^heavy, (5[7-9]|6[0-3])\.[0-9]+ % of all events:$' "--annotate: the hottest function"
between "$(awk '$1 ~ /^[0-9.]+%$/ { sum += $1 } END { print sum }' "$scratch/stdout")" 99.5 100.5 \
	"--annotate: the instructions' shares add up to 100 %"
has "$scratch/stdout" '^ +[0-9.]+% +[0-9a-f]+:.*(dec|sub|jne|add|xor|imul)' \
	"--annotate: shares stand beside the instructions"
barepmu report --annotate=no_such "$scratch/a.data"
is "$status $(cat "$scratch/stderr")" "125 report: no samples in no_such" "--annotate of no function"
has "$scratch/page.html" '<h3>heavy, (5[7-9]|6[0-3])\.[0-9]+ %</h3>' "the hottest function's code"
has "$scratch/page.html" '<td class="n">[0-9.]+ %<td><pre> +[0-9a-f]+:.*(dec|sub|jne|add|xor|imul)' \
	"an instruction's share"
between "$(sed -n '/<h3>heavy/,/<.table>/s/.*class="n">\([0-9.]*\) %<td><pre>.*/\1/p' "$scratch/page.html" |
	awk '{ sum += $1 } END { print sum }')" 99.9 100.1 "all shares of a function are all of it"
is "$(sed -n '/id="time"/,/<.svg>/p' "$scratch/page.html" | grep -c '<rect')" 100 "a hundred bars over time"
if command -v chromium >/dev/null; then
	chromium --headless --no-sandbox --disable-gpu --dump-dom "$scratch/page.html" >"$scratch/dom" 2>/dev/null
	between "$(main_share "$scratch/dom")" 0.98 1 "a browser shows the flame graph in the page"
	# The search finds what is typed into its prompt, and a click makes a function as wide as the picture.
	{
		sed '/<\/svg>/d' "$scratch/flame.svg"
		echo "<script>window.prompt=function(){return '^heavy';};document.getElementById('search').onclick();" \
			"document.querySelector('g[data-n=heavy]').dispatchEvent(new Event('click'));</script></svg>"
	} >"$scratch/used.svg"
	chromium --headless --no-sandbox --disable-gpu --dump-dom "$scratch/used.svg" >"$scratch/dom" 2>/dev/null
	has "$scratch/dom" '>(5[7-9]|6[0-3])\.[0-9]+ % match<' "a search tells the share of what it found"
	is "$(grep 'data-n="heavy"' "$scratch/dom" | head -1 |
		sed 's/.*<rect x="\([0-9.]*\)".* width="\([0-9.]*\)" height.*style="fill: \([^"]*\)".*/\1 \2 \3/')" \
		"10 1180 rgb(221, 0, 255);" "which is marked, and a click zooms to it"
else
	skip "chromium is not installed"
fi

# A later perf's file: attributes of 8 bytes more.
python3 - "$scratch/a.data" "$scratch/later.data" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
data += bytes(-len(data) % 8)
each, start, size = struct.unpack_from("<3Q", data, 16)
entries = [data[at:at + each] for at in range(start, start + size, each)]
attrs = b"".join(entry[:-16] + bytes(8) + entry[-16:] for entry in entries)
struct.pack_into("<3Q", data, 16, each + 8, len(data), len(attrs))
open(sys.argv[2], "wb").write(data + attrs)
END
barepmu report "$scratch/a.data"
cp "$scratch/stdout" "$scratch/table"
barepmu report "$scratch/later.data"
is "$(diff "$scratch/table" "$scratch/stdout")" "" "perf.data with longer attributes: the same report"

# Accesses by address and latency, of loads that the simulated core's PEBS records.
cat >"$scratch/chase.c" <<'END'
#include <stdlib.h>
int main(void)
{
	size_t nr = 1 << 15, at = 0, random = 1;
	void **lines = malloc(nr * 64), **to = lines;
	for (size_t i = 0; i < nr; i++) {
		random = random * 6364136223846793005ul + 1442695040888963407ul;
		lines[at * 8] = &lines[(random >> 33) % nr * 8];
		at = (at + 7919) % nr;
	}
	for (int i = 0; i < 20000; i++)
		to = *to;
	return to == NULL;
}
END
gcc -O2 -g -static -o "$scratch/chase" "$scratch/chase.c"
(
	cd "$scratch" && "$BAREPMU" perf --pmu intel-v5 --core golden-cove record -d -W -c 100 \
		-e '{cpu/mem-loads-aux/u,cpu/mem-loads,ldlat=4/uP}' -o mem.data -- ./chase >/dev/null 2>&1
)
barepmu report --html "$scratch/mem.html" "$scratch/mem.data"
between "$(grep -c '<circle.*<title>[0-9a-f]*: [0-9]* cycles<' "$scratch/mem.html")" 150 300 \
	"--html: loads by address and latency"
between "$(grep -o '<circle cx="[0-9]*' "$scratch/mem.html" | sort -u | wc -l)" 20 300 \
	"--html: beside each other, though some lie on the stack"
has "$scratch/mem.html" '<pre> {16}to = \*to;' "--html: source keeps its indentation"
barepmu report --diff "$scratch/b.data" "$scratch/a.data"
one_line "--diff alone"
barepmu report --flame /nowhere/f.svg "$scratch/a.data"
has "$scratch/stderr" "cannot write '/nowhere/f.svg'" "a file that cannot be written"

# A project of its own.
barepmu new "$scratch/project"
is $status 0 "new: status"
make -s -C "$scratch/project" run BAREPMU="$BAREPMU" >"$scratch/stdout" 2>"$scratch/stderr"
has "$scratch/stdout" '^step: [0-9.]+ cycles [4-9]\.[0-9]+ instructions \(1 regions, by RDPMC\)$' \
	"new: its program counts"
barepmu new "$scratch/project"
one_line "new: over an old one"
cat >"$scratch/try.cpp" <<'END'
#include <barepmu.h>
static uint64_t code_segment(void *unused)
{
	uint64_t cs;
	(void)unused;
	__asm__ volatile("mov %%cs, %0" : "=r"(cs));
	return cs & 3;
}
static uint64_t wrong(void *unused)
{
	__asm__ volatile("ud2");
	return (uint64_t)unused;
}
int main()
{
	struct barepmu pmu;
	uint64_t ring = 9, vector = 0;
	if (barepmu_open(&pmu, "instructions"))
		return barepmu_error(&pmu);
	printf("overhead %llu\n", (unsigned long long)pmu.overhead[0]);
	for (int i = 0; i < 10; i++) {
		barepmu_begin(&pmu);
		__asm__ volatile("mov $1000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
		barepmu_end(&pmu);
	}
	barepmu_print(&pmu, "loop", 1000);
	int failed = barepmu_ring0(code_segment, NULL, &ring);
	printf("ring %d %d %s\n", (int)ring, failed, failed ? strerror(errno) : "");
	if (!failed) {
		failed = barepmu_ring0(wrong, NULL, &vector);
		printf("vector %d %d\n", failed, (int)vector);
	}
}
END
g++ -static -O2 $(PKG_CONFIG_PATH=$BUILD/sdk pkg-config --cflags barepmu) \
	-Wall -Wextra "$scratch/try.cpp" -o "$scratch/try"
barepmu run -- "$scratch/try"
has "$scratch/stdout" '^loop: 2.00 instructions \(10 regions, by RDPMC\)' \
	"barepmu.h: by iteration, the overhead subtracted"
between "$(sed -n 's/^overhead //p' "$scratch/stdout")" 1 44 \
	"barepmu.h: at most 44 instructions around a region (gcc 12: 40, gcc 14: 42)"
has "$scratch/stdout" '^ring 0 0 $' "barepmu.h: a function in ring 0"
has "$scratch/stdout" '^vector -1 6$' "barepmu.h: whose mistake is told"
# Regions of threads that take turns on two processors: three threads, so that one of them moves.
cat >"$scratch/threads.c" <<'END'
#define _GNU_SOURCE
#include <barepmu.h>
#include <pthread.h>
static void *run(void *name)
{
	struct barepmu pmu;
	if (barepmu_open(&pmu, "instructions,branches"))
		exit(barepmu_error(&pmu));
	for (int i = 0; i < 40; i++) {
		barepmu_begin(&pmu);
		for (int half = 0; half < 2; half++) {
			__asm__ volatile("mov $100000, %%eax\n1: dec %%eax\njnz 1b" : : : "eax", "cc");
			if (half == 0 && i % 2)
				usleep(100);
		}
		barepmu_end(&pmu);
	}
	barepmu_print(&pmu, name, 200000);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run, "thread");
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	fflush(stdout);
	if (argc > 1) /* and then that program */
		execv(argv[1], argv + 1);
	return 0;
}
END
gcc -static -O2 -I"$BUILD/sdk" -Wall -Wextra "$scratch/threads.c" -o "$scratch/threads"
right='^thread: 2.00 instructions 1.00 branches \(40 regions'
barepmu run --core skylake --smp 2 -- "$scratch/threads"
is "$(grep -cE "$right" "$scratch/stdout")" 3 "barepmu.h: three threads on two processors"
if have_linux; then
	# One boot, of one processor: the simulated core takes its time with that kernel.
	linux_quickly --core skylake --pmu intel-v4 --add "$scratch/try" -- \
		"$scratch/threads" "$scratch/try"
	is "$(grep -cE "$right" "$scratch/stdout")" 3 "the threads on Linux"
	has "$scratch/stdout" '^loop: 2.00 instructions \(10 regions' "barepmu.h on Linux"
	has "$scratch/stdout" '^ring 9 -1 (Operation not supported|Not supported)$' "ring 0 is refused there"
else
	skip "there is no Linux kernel to compare with"
fi

# Names that are hostile to terminals and to XML.
name=$(printf 'a\033[31m<&]]>"\377b')
cp "$BUILD/apps/work" "$scratch/$name"
barepmu record --core none -g -o "$scratch/hostile.data" -- "$scratch/$name"
barepmu report --html "$scratch/hostile.html" "$scratch/hostile.data"
barepmu report --flame "$scratch/hostile.svg" "$scratch/hostile.data"
barepmu report "$scratch/hostile.data"
is $status 0 "report of a program with a hostile name: status"
has "$scratch/stdout" ' a[?]\[31m<&' "report of a program with a hostile name: no control characters"
is "$(cat "$scratch/stdout" "$scratch/hostile.html" "$scratch/hostile.svg" | grep -c "$(printf '\033')")" \
	0 "no escape comes through"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/hostile.svg"
is $? 0 "the flame graph is read by an XML parser"
finish
