#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The host's directories in the image: a program finds its script, libraries and data as on the host, and changes none
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
 ['dangling', 'moved', 'new', 'sub']" "a script runs by python3, in the working directory, and changes it"
is "$(cat sub/file) $(ls | xargs)" "data dangling link script.py sub" "the host's directory is as it was"
barepmu run -- bash -c 'cat link | tr a-z A-Z; ls | wc -l; readlink dangling; cat dangling'
is "$(cat "$scratch/stdout")" "DATA
4
nowhere" "bash and what it starts; links"
is $status 1 "bash: exit status"
barepmu run -- cat "$scratch/other/file"
is $status 1 "another directory is not there"
barepmu run --share "$scratch/other" -- cat "$scratch/other/file"
is "$(cat "$scratch/stdout")" elsewhere "--share DIR"
barepmu run --share "$scratch/nowhere" -- cat
has "$scratch/stderr" "^barepmu: cannot share '.*nowhere'" "--share of nothing"
is $status 125 "--share of nothing: status"
below=$(mktemp -d /tmp/barepmu.XXXXXX)
barepmu run --share "$below" --add /etc/hostname:/tmp/added -- /usr/bin/stat -c %a /tmp
is "$(cat "$scratch/stdout") $status" "1777 0" "/tmp is everybody's, whatever of the host's lies below"
rmdir "$below"
# However slowly the host answers: both rings' instructions, and a host that takes its time over the doors.
cat >"$scratch/slow.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t write(int fd, const void *bytes, size_t size)
{
	ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	const char *delay = getenv("DELAY_MS");
	struct stat what;

	if (size > 4000 && delay && !fstat(fd, &what) && S_ISFIFO(what.st_mode))
		usleep((unsigned)atoi(delay) * 1000);
	return next(fd, bytes, size);
}
END
gcc -shared -fPIC -D_GNU_SOURCE "$scratch/slow.c" -o "$scratch/slow.so"
for delay in 00 20 00; do
	LD_PRELOAD=$scratch/slow.so DELAY_MS=$delay barepmu stat -x, -e instructions:u,instructions:k \
		-- bash -c 'ls /usr/bin | sort | tail -n 1'
	awk -F, '$3 ~ /^instructions/ { print $1 }' "$scratch/stderr" >"$scratch/delay$delay"
	is "$(wc -l <"$scratch/delay$delay")" 2 "answers $delay ms late: both rings are counted"
	[ -e "$scratch/first" ] || mv "$scratch/delay00" "$scratch/first"
done
is "$(cat "$scratch/delay20")" "$(cat "$scratch/first")" "a slow host's run counts the same"
is "$(cat "$scratch/delay00")" "$(cat "$scratch/first")" "counts repeat"

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
is "$(cat "$scratch/stdout")" data "--add of a directory with a dangling link"
has "$scratch/stderr" "left out '.*dangling'" "--add: a dangling link is left out with a line"

# A program that --add puts elsewhere: by its path there, and a name without a slash.
barepmu run --add "$scratch/tree:/opt/seven" -- /opt/seven/bin/seven
is $status 7 "a program of an added directory, by its path there"
(cd "$scratch/tree/bin" && exec "$BAREPMU" run --add seven:/opt/bin/own --add ../lib:/opt/lib -- /opt/bin/own) \
	2>"$scratch/stderr"
is "$? $(cat "$scratch/stderr")" "7 " "an added program, with what it needs"
barepmu run --add "$scratch/tree:/opt/seven" -- /opt/seven/bin/eight
is $status 127 "one that is not in it"
# As version managers have it: a script before the programs, of a directory that the machine does not see.
mkdir "$scratch/shims"
printf '#!/bin/sh\nexec "%s/manager" "$@"\n' "$scratch/shims" >"$scratch/shims/seq"
printf '#!/bin/sh\necho managed "$@"\n' >"$scratch/shims/manager"
chmod +x "$scratch/shims"/*
PATH=$scratch/shims:$PATH barepmu run -- seq 1
is "$status $(cat "$scratch/stdout")" "0 1" "a script that could start nothing is passed over for the program after it"
PATH=$scratch/shims:$PATH barepmu run --share "$scratch/shims" -- seq 1
is "$status $(cat "$scratch/stdout")" "0 managed 1" "a shared script comes before the program after it"

# --share DIR:rw: the machine's operations on a directory have the results of the host's.
fill() {
	mkdir -p "$1/d" "$1/gone/in" "$1/bare"
	echo one >"$1/a"
	echo two >"$1/b"
	echo keep >"$1/d/k"
	echo x >"$1/gone/in/y"
	echo untouched >"$1/u"
	ln -s a "$1/l"
	printf '#!/bin/sh\n' >"$1/x"
	echo u2 >"$1/u2"
	chmod +x "$1/x"
	cat >"$1/change.sh" <<'X'
mv a t; mv b a; mv t b # files that were not read are moved over each other
echo more >>d/k; mkdir -p new/er/empty; echo n >new/er/f; chmod 751 new/er/f; chmod -x x
(umask 077; echo own >own); chmod 400 u2
ln -s d/k link2; rm l; rm -r gone; mv d moved; ln b hard; rmdir bare; rm a; mkdir a; echo in >a/file
X
}
# A tree as text: kinds, permissions, contents, where links lead.
tree() {
	(cd "$1" && find . -type f -printf '%P %m\n' -o -type l -printf '%P -> %l\n' -o \
		-printf '%P %y\n' | sort && find . -type f | sort | xargs tail -n +1)
}
fill "$scratch/here"
fill "$scratch/there"
cp -a "$scratch/there" "$scratch/kept"
(cd "$scratch/here" && bash change.sh)
cd "$scratch/there" || exit 1
barepmu run --share "$scratch/there:rw" -- bash change.sh
is $status 0 "a directory is changed: status"
tree "$scratch/here" >"$scratch/wanted"
tree "$scratch/there" >"$scratch/got"
diff -a "$scratch/wanted" "$scratch/got" >"$scratch/diff"
ok $? "--share DIR:rw: all changes come back"
sed "s/^/# /" "$scratch/diff"
is "$(stat -c %.9Y "$scratch/there/u")" "$(stat -c %.9Y "$scratch/kept/u")" "what nobody changed is not written"
# Names that are looked up one by one, in directories that are never listed.
mkdir -p "$scratch/many/deep"
for i in $(seq 40); do
	echo "$i" >"$scratch/many/$i"
done
echo here >"$scratch/many/deep/file"
barepmu run --share "$scratch/many:rw" -- /bin/chmod 640 "$scratch/many/deep/file"
is "$status $(stat -c %a "$scratch/many/deep/file") $(ls "$scratch/many" | wc -l)" "0 640 41" \
	"one file changes, the others stay"
barepmu run --share "$scratch/many:rw" -- /bin/mkdir "$scratch/many/deep/made"
is "$status $(ls "$scratch/many/deep" | xargs)" "0 file made" "a directory is made where nothing was looked for"
barepmu run --share "$scratch/many" -- /bin/sh -c "cd '$scratch/many'; [ ! -e absent ]; for i in \$(seq 40); do
	cat \$i; done; ls | wc -l; cat deep/file deep/../deep/absent"
is "$(xargs <"$scratch/stdout")" "$(seq 40 | xargs) 41 here" "forty names, then all of them"
has "$scratch/stderr" "deep/absent: No such file or directory" "a missing name: the shell's error"
echo later >later
barepmu run --share "$scratch/there:rw" -- \
	bash -c 'ls >names; ln -s /etc/passwd out; ln -s .. up; echo secret >up/other/file
	ln -s ../other/made result; ln -s ../other/file chart.svg'
is "$(cat "$scratch/other/file") $(cat later) $(readlink out)" "elsewhere later /etc/passwd" \
	"nothing outside it is written"
barepmu stat --share "$scratch/there:rw" -o result -x, -e instructions:u -- true
ok "$([ ! -e "$scratch/other/made" ] && grep -q instructions result)$?" "-o does not follow a link of the machine's"
barepmu bench --share "$scratch/there:rw" --plot chart.svg --csv --range X=1..2 --asm 'times X nop' \
	--events instructions
is "$(cat "$scratch/other/file") $(head -c 4 chart.svg)" "elsewhere <svg" \
	"--plot does not follow a link of the machine's"
barepmu run --share "/usr/share/nowhere:rw" -- true
is $status 125 "--share of nothing for writing"

# A static program starts a dynamic one, whose interpreter was not yet requested from the host.
barepmu run --pmu none -- "$BUILD/tests/oracle/each" /bin/true
has "$scratch/stdout" '^== status 0$' "a static program starts one of the host's that is not"

# The host's perf in the image: what it records comes to the working directory.
cp "$BUILD/apps/work" work
HOME=$scratch # of perf's cache of build ids
export HOME
barepmu perf record -e cpu/cpu-cycles,period=1000/k,cycles:u -c 20000 -o work.data ./work
is $status 0 "perf record: status"
for reader in "perf report -i" "$BAREPMU report"; do
	$reader work.data >"$scratch/reported" 2>/dev/null
	has "$scratch/reported" '\[k\] [a-z_][a-z_0-9.]* *$' "${reader##*/}: names of our kernel, by its build id"
done
is "$(awk '/Samples:/ { n = $3 } /Event count/ { print $NF / n }' "$scratch/reported" | tr '\n' ' ')" "1000 20000 " \
	"report: a sample of a fixed period is that many events"
barepmu perf --pmu amd-v2 stat -x, -e instructions:u ./work
grep -v '^#' "$scratch/stderr" >"$scratch/counted"
has "$scratch/counted" '^[1-9][0-9]*,,instructions:u' "perf stat, on another PMU"
perf report -i work.data --stdio >"$scratch/reported" 2>/dev/null
has "$scratch/reported" ' work .*heavy' "the host's perf reads what came back"
# perf names the kernel of a profile by this.
kernel=$(readelf -n "$BUILD/kernel.elf" | awk '/Build ID/ { print $3 }')
barepmu run --pmu none -- /bin/cat /sys/kernel/notes
notes=$(od -An -v -tx1 "$scratch/stdout" | tr -d ' \n' | tail -c 40)
is "$notes" "${kernel:-none}" "/sys/kernel/notes has the kernel's build id"

# Links that one machine leaves in the working directory lead the results of the next one nowhere.
(cd "$top" && build_probe)
mkdir -p "$scratch/victim" "$scratch/next/out" && cd "$scratch/next" || exit 1
echo precious | tee "$scratch/victim/file" >"$scratch/victim/data"
barepmu run --pmu none --share "$PWD:rw" -- /bin/sh -c "ln -s '$scratch/victim' out/directory"
barepmu run --pmu none -- "$scratch/probe" files
is "$status $(cat "$scratch/victim/file")" "125 precious" "no directory of out/ is a link"
has "$scratch/stderr" "cannot write 'out/directory/file': a directory in its path is a symbolic link" \
	"a link in out/: the error names it"
rm out/directory
barepmu run --pmu none --share "$PWD:rw" -- /bin/sh -c "mkdir out/directory
	ln -s '$scratch/victim/file' out/directory/file; ln -s '$scratch/victim/data' perf.data"
barepmu run --pmu none -- "$scratch/probe" files
is "$(cat "$scratch/victim/file" out/directory/file)" "precious
from the image" "a file takes the place of a link"
barepmu record -- "$scratch/probe" calls 1000
is "$status $(cat "$scratch/victim/data") $(head -c 8 perf.data)" "0 precious PERFILE2" \
	"perf.data takes the place of a link"
cd "$top" || exit 1
finish
