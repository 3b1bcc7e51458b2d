#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program's surroundings: its environment is the caller's as for env(1), its name is the one that it was called by,
# and added directories bring the files that their programs need.
. tests/e2e/lib.sh
BAREPMU=$(readlink -f "$BAREPMU")
BUILD=$(readlink -f "$BUILD")
mkdir "$scratch/work" "$scratch/home"
cd "$scratch/work" || exit 1

# caller COMMAND...: an environment of which all is known.
caller() {
	env -i PATH="$PATH" HOME="$scratch/home" TERM=xterm "$@"
}
two_lines='first
second'
long=$(head -c 100000 /dev/zero | tr '\0' x)
caller NAME="a b" LINES="$two_lines" EMPTY= Z='=' LONG="$long" SSH_CONNECTION=1 XDG_RUNTIME_DIR=/run/x SHLVL=3 \
	"$BAREPMU" run -- env -0 >seen
caller NAME="a b" LINES="$two_lines" EMPTY= Z='=' LONG="$long" env -0 | grep -zv '^TERM=' |
	LC_ALL=C sort -z >wanted
cmp -s wanted seen
ok $? "the caller's environment, except its session's, in the order of names"
caller "$BAREPMU" run -- sh -c 'cd && pwd' >seen
is "$(cat seen)" "$scratch/home" "the home directory exists"
caller NAME=x "$BAREPMU" run --env NAME=y --env MORE=z -- env >seen
is "$(grep -E '^(NAME|MORE)=' seen | xargs)" "MORE=z NAME=y" "--env sets a variable in place of the caller's"
caller NAME=x DISPLAY=:0 "$BAREPMU" run --ignore-environment --env DISPLAY -- env >seen
is "$(xargs <seen)" "DISPLAY=:0 HOME=/ PATH=/bin:/usr/bin:/sbin:/usr/sbin" \
	"--ignore-environment: the machine's own, and what --env takes along"
barepmu run --env NOT_SET_ANYWHERE -- env
is "$status $(cat "$scratch/stderr")" \
	"125 barepmu: --env wants NAME=VALUE, or the NAME of a variable, not 'NOT_SET_ANYWHERE'" "--env of what is not set"
for more in A=1 LONGER=0123456789; do
	caller $more "$BAREPMU" stat --ignore-environment -x, -e instructions:u -- bash -c : 2>"$more"
	has "$more" '^[1-9][0-9]*,,instructions:u,' "--ignore-environment with $more: counted"
done
is "$(cat A=1)" "$(cat LONGER=0123456789)" "--ignore-environment: counts do not depend on the caller's environment"

# By its link's name.
echo hello | xz >text.xz
barepmu run -- xzcat text.xz
is "$status $(cat "$scratch/stdout")" "0 hello" "a program that asks what it is called"
mkdir -p venv/bin "$scratch/elsewhere"
cat >where.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char real[4096] = "";
	return argc != 1 || readlink("/proc/self/exe", real, sizeof(real) - 1) < 0 || printf("%s %s\n", argv[0], real) < 0;
}
END
gcc -o "$scratch/elsewhere/where" where.c
ln -s "$scratch/elsewhere/where" venv/bin/second
ln -s second venv/bin/first
barepmu run -- venv/bin/first
is "$(cat "$scratch/stdout")" "$scratch/work/venv/bin/first $scratch/elsewhere/where" \
	"a link to a link out of the directory: its name, and the file's"
barepmu image -o stick.img -- venv/bin/first
is $status 0 "image of a link: status"
mcopy -n -i stick.img@@1M ::/barepmu/jobs.toml ::/barepmu/initrd.cpio .
has jobs.toml "^program = \"$scratch/work/venv/bin/first\"\$" "image: the link's name"
(cd "$scratch/elsewhere" && cpio -itv --quiet <"$scratch/work/initrd.cpio" 2>/dev/null) >members
has members "venv/bin/first -> $scratch/elsewhere/where" "image: the link is a member"

# Interpreters whose files the machine does not see: a line names them and the cure.
mkdir -p "$scratch/pyenv/shims" "$scratch/conda/bin" "$scratch/conda/lib/python3.11" "$scratch/venv/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath /usr/bin/python3)" >"$scratch/pyenv/shims/python3"
chmod 755 "$scratch/pyenv/shims/python3"
cp "$(realpath /usr/bin/python3)" "$scratch/conda/bin/python3.11"
ln -s "$(realpath /usr/bin/python3)" "$scratch/venv/bin/python3"
echo 'home = /usr/bin' >"$scratch/venv/pyvenv.cfg"
printf '#!/usr/bin/env python3\nprint(7)\n' >shim.py && chmod 755 shim.py
PATH=$scratch/pyenv/shims:$PATH barepmu run -- python3 -c 'print(7)'
is "$(cat "$scratch/stdout" "$scratch/stderr" | sed "s,$scratch,X,g; s,'[^']*/bin/,'BIN/,")" "7
barepmu: 'BIN/python3' runs in place of 'X/pyenv/shims/python3', which starts files that the machine does not see: \
--share X/pyenv shows them" "a version manager's script: what runs in its place, and the cure"
PATH=$scratch/pyenv/shims:$PATH barepmu run --share "$scratch/pyenv" -- python3 -c 'print(7)'
is "$(cat "$scratch/stdout" "$scratch/stderr")" 7 "a version manager's script: shared"
PATH=$scratch/pyenv/shims:$PATH barepmu run -- ./shim.py
has "$scratch/stderr" "pyenv/shims/python3' belongs to $scratch/pyenv, .*: --share $scratch/pyenv shows it\$" \
	"env's python3: another one than here, and the cure"
barepmu run -- "$scratch/venv/bin/python3" -c 'print(7)'
has "$scratch/stderr" "belongs to $scratch/venv, which the machine does not see: --share $scratch/venv shows it\$" \
	"a virtual environment: the cure"
barepmu run --share "$scratch/venv" -- "$scratch/venv/bin/python3" -c 'import sys; print(sys.prefix)'
is "$(cat "$scratch/stdout" "$scratch/stderr")" "$scratch/venv" "a virtual environment: shared"
barepmu run -- "$scratch/conda/bin/python3.11" -c 'print(7)'
has "$scratch/stderr" "belongs to $scratch/conda, which the machine does not see: --share $scratch/conda shows it\$" \
	"an interpreter with its library: the cure"

# An added directory: what links lead to, and the libraries of its programs.
mkdir -p "$scratch/vendor" "$scratch/tool/bin"
echo 'int seven(void) { return 7; }' | gcc -x c -shared -fPIC -o "$scratch/vendor/libseven.so" -
echo 'int seven(void); int main(void) { return seven(); }' | gcc -x c - -o "$scratch/tool/bin/seven" \
	-L"$scratch/vendor" -lseven -Wl,-rpath,"$scratch/vendor"
(cd "$scratch/tool" && ln -s bin/seven link && ln -s .. bin/back && ln -s loop loop && mkfifo fifo)
barepmu run --add "$scratch/tool:/opt/tool" -- /bin/sh -c '/opt/tool/link; echo $?; ls -F /opt/tool'
is "$(xargs <"$scratch/stdout")" "7 bin/ link*" "run: a link of an added directory, and a library from elsewhere"
is "$(sort "$scratch/stderr")" "barepmu: left out '$scratch/tool/bin/back', which leads to a directory around it
barepmu: left out '$scratch/tool/fifo', which is neither a file nor a directory
barepmu: left out '$scratch/tool/loop', which leads nowhere" "what cannot be added is left out, with a line"
barepmu image --force -o stick.img --add "$scratch/tool:/opt/tool" -- true
mcopy -o -i stick.img@@1M ::/barepmu/initrd.cpio .
cpio -it --quiet <initrd.cpio >members
has members "^$(echo "$scratch/vendor" | cut -c 2-)/libseven.so" "image: a library of an added directory's program"
has members "^lib(/x86_64-linux-gnu|64)/|^usr/lib/x86_64-linux-gnu/libc.so" "image: the C library is a member"
has members "^opt/tool/link" "what a link of it leads to"
LD_LIBRARY_PATH=$scratch/vendor NAME=secret "$BAREPMU" image --force -o stick.img -- "$scratch/tool/bin/seven"
mcopy -o -i stick.img@@1M ::/barepmu/jobs.toml .
has jobs.toml "^environment = \\[\"LD_LIBRARY_PATH=$scratch/vendor\"\\]\$" "image: paths of libraries, and nothing else"
if have_linux; then
	caller NAME="a b" BAREPMU_LINUX="$BAREPMU_LINUX" "$BAREPMU" linux --no-share --pmu none \
		--append "$quick_words $linux_words" --add "$scratch/tool:/opt/tool" --add /bin/sh:/bin/sh \
		-- /bin/sh -c '/opt/tool/link; echo $? $NAME $HOME' >seen 2>/dev/null
	is "$(cat seen)" "7 a b $scratch/home" "linux: the same"
else
	skip "no kernel of Debian's"
fi
finish
