#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu run: a program's streams, status, arguments and files go through the machine unchanged.
. tests/e2e/lib.sh
build_probe

barepmu run -- "$scratch/probe" exit 0
is $status 0 "status 0"
is "$(cat "$scratch/stdout")$(cat "$scratch/stderr")" "" "a silent program is silent"
barepmu run -- "$scratch/probe" exit 3
is $status 3 "status 3"
barepmu run -- "$scratch/probe" exit 255
is $status 255 "status 255"
barepmu run -- "$scratch/probe" signal 15
is $status 143 "SIGTERM gives 128 + 15"
barepmu run -v -- "$scratch/probe" fault
is $status 139 "a wrong access gives 128 + SIGSEGV"
has "$scratch/stderr" "^Segmentation fault at 0x[0-9a-f]+ \\(main in $scratch/probe\\), of address 0x0$" \
	"-v tells where and in which function"

# 1 MiB of all byte values; the host's own run of the same program is the reference.
"$scratch/probe" bytes 1048576 >"$scratch/want"
barepmu run -- "$scratch/probe" bytes 1048576
is $status 0 "1 MiB of output: status"
cmp -s "$scratch/want" "$scratch/stdout"
ok $? "1 MiB of output arrives byte for byte"

# A slow reader must not cost a byte: the machine continues while it waits.
"$scratch/probe" bytes 3000000 | cksum >"$scratch/want"
timeout -k 5 900 "$BAREPMU" run -- "$scratch/probe" bytes 3000000 | { sleep 4; cksum; } >"$scratch/got"
is "$(cat "$scratch/got")" "$(cat "$scratch/want")" "a slow reader gets every byte"

barepmu run -- "$scratch/probe" stderr
is "$(cat "$scratch/stdout")" "" "nothing of stderr on stdout"
is "$(cat "$scratch/stderr")" "on stderr" "stderr arrives on stderr"

barepmu run --env GREETING="good day" --cwd /usr/share -- "$scratch/probe" surroundings "a b" "" -x
cat >"$scratch/want" <<END
argument=a b
argument=
argument=-x
directory=/usr/share
GREETING=good day
END
cmp -s "$scratch/want" "$scratch/stdout"
ok $? "arguments, directory and environment arrive"
LANG=C barepmu run --env HOME=/there --env LANG=en_GB --env PATH=/usr/bin -- /usr/bin/env
is "$(sort "$scratch/stdout" | grep -E '^(HOME|LANG|PATH)=' | tr '\n' ' ')" "HOME=/there LANG=en_GB PATH=/usr/bin " \
	"what --env says stands in the place of what there would be"

mkdir -p "$scratch/tree/sub"
echo "inner file" >"$scratch/tree/sub/inner"
barepmu run --add "$scratch/tree:/data" -- "$scratch/probe" copy /data/sub/inner
is "$(cat "$scratch/stdout")" "inner file" "--add DIRECTORY:PATH"
barepmu run --add "$scratch/tree/sub/inner" -- "$scratch/probe" copy "$scratch/tree/sub/inner"
is "$(cat "$scratch/stdout")" "inner file" "--add FILE keeps its path"

top=$PWD
cd "$scratch" || exit 1
barepmu run --cwd /work --add tree/sub --add tree/sub/inner:other/name -- cat tree/sub/inner other/name
is "$(cat stdout)" "inner file
inner file" "relative names of --add are in the program's directory"
barepmu run -- ./probe files
cd "$top" || exit 1
is "$(cat "$scratch/out/directory/file" 2>&1)" "from the image" "files of /out come to out/"
finish
