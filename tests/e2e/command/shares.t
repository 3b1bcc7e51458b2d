#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The host's folders in the image: a program finds its script, libraries and data as on the host, and changes none
# of them.
. tests/e2e/lib.sh
BAREPMU=$(readlink -f "$BAREPMU")
mkdir -p "$scratch/work/sub" "$scratch/other"
echo data >"$scratch/work/sub/file"
echo elsewhere >"$scratch/other/file"
ln -s sub/file "$scratch/work/link"
ln -s nowhere "$scratch/work/dangling"
top=$PWD
cd "$scratch/work" || exit 1

cat >script.py <<'X'
#!/usr/bin/python3
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), sorted(os.listdir("."))]))
with open("sub/file", "a") as file:
    file.write("more\n")
with open("new", "w") as file:
    file.write("new\n")
os.rename("script.py", "moved")
os.remove("link")
print(open("sub/file").read(), open("new").read(), sorted(os.listdir(".")))
X
chmod +x script.py
barepmu run -- ./script.py a "b c"
is "$(cat "$scratch/stdout")" "[[\"a\", \"b c\"], \"$scratch/work\", [\"dangling\", \"link\", \"script.py\", \"sub\"]]
data
more
 new
 ['dangling', 'moved', 'new', 'sub']" "a script runs by python3, in the working folder, and changes it"
is "$(cat sub/file) $(ls | xargs)" "data dangling link script.py sub" "the host's folder is as it was"
barepmu run -- bash -c 'cat link | tr a-z A-Z; ls | wc -l; readlink dangling; cat dangling'
is "$(cat "$scratch/stdout")" "DATA
4
nowhere" "bash and what it starts; links"
is $status 1 "its status"
barepmu run -- cat "$scratch/other/file"
is $status 1 "another folder is not there"
barepmu run --share "$scratch/other" -- cat "$scratch/other/file"
is "$(cat "$scratch/stdout")" elsewhere "--share DIR"
barepmu run --share "$scratch/nowhere" -- cat
has "$scratch/stderr" "^barepmu: cannot share '.*nowhere'" "--share of nothing"
is $status 125 "--share of nothing: status"
for round in 1 2; do
	barepmu stat -x, -e instructions -- bash -c 'ls /usr/bin | sort | tail -n 1'
	grep -v '^#' "$scratch/stderr" >"$scratch/round$round"
done
cmp "$scratch/round1" "$scratch/round2"
ok $? "counts repeat"

# A library beside the program: $ORIGIN/../lib.
mkdir -p "$scratch/tree/bin" "$scratch/tree/lib"
echo 'int seven(void) { return 7; }' | gcc -x c -shared -fPIC -o "$scratch/tree/lib/libseven.so" -
echo 'int seven(void); int main(void) { return seven(); }' |
	gcc -x c - -o "$scratch/tree/bin/seven" -L"$scratch/tree/lib" -lseven -Wl,-rpath,'$ORIGIN/../lib'
barepmu run -- "$scratch/tree/bin/seven"
is $status 7 "\$ORIGIN/../lib"
echo 'int seven(void) { return 8; }' | gcc -x c -shared -fPIC -o libseven.so -
wanted=0
LD_LIBRARY_PATH=$PWD "$scratch/tree/bin/seven" || wanted=$?
LD_LIBRARY_PATH=$PWD barepmu run -- "$scratch/tree/bin/seven"
is $status $wanted "LD_LIBRARY_PATH: as on the host"
barepmu run --add "$scratch/work:/data" -- cat /data/link
is "$(cat "$scratch/stdout")" data "--add of a folder with a dangling link"
has "$scratch/stderr" "left out '.*dangling'" "which is said"
cd "$top" || exit 1
finish
