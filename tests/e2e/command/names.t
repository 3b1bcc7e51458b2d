#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `report` of C++, of libraries without symbols, and of stacks that were copied or recorded by the processor.
. tests/e2e/lib.sh

cat >"$scratch/hidden.c" <<'X'
#define LOOP __asm__ volatile("1: dec %0\njnz 1b" : "+r"(n) : : "cc")
__attribute__((noinline)) static int inner(int n) { LOOP; return n; }
__attribute__((noinline)) static int other(int n) { LOOP; return n + 1; }
int seen(int n) { return inner(n) + other(n) + 1; }
X
gcc -shared -fPIC -O1 -g -Wl,--build-id -o "$scratch/libhidden.so" "$scratch/hidden.c"
id=$(readelf -n "$scratch/libhidden.so" | awk '/Build ID/ { print $3 }')
mkdir -p "$scratch/cache/$id"
objcopy --only-keep-debug "$scratch/libhidden.so" "$scratch/cache/$id/debuginfo"
strip "$scratch/libhidden.so"
cat >"$scratch/shop.cpp" <<'X'
extern "C" int seen(int n);
extern "C" int rusty(int n) __asm__("_RNvC7mycrate3foo");
#define LOOP __asm__ volatile("1: dec %0\njnz 1b" : "+r"(n) : : "cc")
#define FUNCTION __attribute__((noinline))
extern "C" FUNCTION int rusty(int n) { LOOP; return n; }
namespace shop {
template <class T> struct Basket {
	FUNCTION T match(T n) { LOOP; return n + rusty(200000); }
};
}
FUNCTION static int descend(int depth)
{
	return depth ? descend(depth - 1) + 1 : shop::Basket<int>().match(300000);
}
int main() { return descend(5) + seen(150000) == 0; }
X
g++ -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -o "$scratch/shop" "$scratch/shop.cpp" -L"$scratch" -lhidden \
	-Wl,-rpath,"$scratch"
for kind in dwarf,1024 lbr; do
	barepmu record --core skylake -m 1024 --call-graph $kind -e instructions:u -c 4001 \
		-o "$scratch/${kind%,*}.data" -- "$scratch/shop"
	is $status 0 "record -g $kind"
done

# share FUNCTION [COLUMN]: its percentage in the table, the first column's or this one's.
share() {
	awk -v f="$1" -v c="${2:-1}" '/ \[[.k]\] / && $0 ~ "\\] " f "$" { sub("%", "", $c); print $c }' "$scratch/stdout"
}
barepmu report --sort symbol "$scratch/dwarf.data"
between "$(share 'shop::Basket<int>::match')" 32 38 "C++ names are demangled"
between "$(share 'mycrate::foo')" 21 26 "Rust names are demangled"
is "$(grep -c '\[libhidden.so\]' "$scratch/stdout")" 1 "a library without symbols has one line"
is "$(grep -c ' 0x0000' "$scratch/stdout")" 0 "no line is an address"
barepmu report --no-demangle --sort symbol "$scratch/dwarf.data"
between "$(share '_ZN4shop6BasketIiE5matchEi')" 32 38 "--no-demangle: as the symbol table has it"
export DEBUGINFOD_CACHE_PATH="$scratch/cache"
barepmu report --sort symbol "$scratch/dwarf.data"
between "$(share inner)" 15 20 "names come from a debug file in debuginfod's cache"
unset DEBUGINFOD_CACHE_PATH
barepmu report --annotate=match "$scratch/dwarf.data"
has "$scratch/stdout" '^shop::Basket<int>::match, ' "--annotate finds a method by its last name"
has "$scratch/stdout" '[0-9]%  +[0-9a-f]+:.*(dec|jne)' "--annotate shows its code"

barepmu report --children --sort symbol "$scratch/dwarf.data"
perf report -f -i "$scratch/dwarf.data" --stdio --children --no-inline -g none >"$scratch/theirs" \
	2>/dev/null
for function in main descend; do # 6.12 prints a method's arguments
	theirs=$(awk -v f="$function" '{ sub(/\(.*/, "", $NF) } $NF == f { sub("%", "", $1); print $1 }' "$scratch/theirs")
	# A sample within a function's first or last instructions may have one caller more or less.
	between "$(share $function)" "$(awk "BEGIN { print $theirs - 0.5 }")" "$(awk "BEGIN { print $theirs + 0.5 }")" \
		"-g dwarf: $function and its callees have what stock perf says"
done
barepmu report --flame "$scratch/dwarf.svg" "$scratch/dwarf.data"
is "$(flame_levels "$scratch/dwarf.svg" descend | wc -l)" 6 "-g dwarf: the recursion in the flame graph"
is "$(flame_levels "$scratch/dwarf.svg" '\[libhidden.so\]' | wc -l)" 1 "frames without names are folded"
barepmu report --flame "$scratch/lbr.svg" "$scratch/lbr.data"
is "$(flame_levels "$scratch/lbr.svg" descend | wc -l)" 6 "-g lbr: the recursion in the flame graph"
barepmu report --children --sort symbol "$scratch/lbr.data"
between "$(share main)" 90 100 "-g lbr: main has its callees' samples"
barepmu report --flame "$scratch/diff.svg" --diff "$scratch/lbr.data" "$scratch/dwarf.data"
has "$scratch/diff.svg" '>shop::Basket&lt;int&gt;::match [+-][0-9.]+ %<' "--diff: the change is written in the frame"

barepmu report --callgrind "$scratch/callgrind.out" "$scratch/dwarf.data"
callgrind_annotate "$scratch/callgrind.out" >"$scratch/own"
has "$scratch/own" '\(3[2-8]\.[0-9]+%\)  .*:shop::Basket<int>::match ' "--callgrind: a function's own events"
callgrind_annotate --inclusive=yes "$scratch/callgrind.out" >"$scratch/inclusive"
has "$scratch/inclusive" '\(9[0-9]\.[0-9]+%\)  .*:main ' "--callgrind: main has its callees' events"

# On a terminal names are cut to its width.
script -qec "stty cols 70; $BAREPMU report --sort dso,symbol $scratch/dwarf.data" /dev/null >"$scratch/screen"
is "$(tr -d '\r' <"$scratch/screen" | awk 'length($0) > 70 && !/^#/' | wc -l)" 0 "lines fit a terminal"
finish
