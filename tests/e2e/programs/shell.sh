# SPDX-License-Identifier: BSD-2-Clause
# For busybox's sh: what it prints is the same wherever it runs. $1 is the directory that it may use.
cd "$1" || exit 9
set -u
umask 022

# Pipes, sorting, awk, sed, here-documents.
printf 'b 2\na 1\nc 3\n' | sort | awk '{ sum += $2; print $1 } END { print "sum", sum }'
seq 1 1000 | grep 7 | tail -n 3 | tr '0-9' 'a-j'
sed -e 's/an/AN/' -e '/^#/d' <<X
banana
# a comment
cabana
X
seq 1 500 | xargs -n 7 echo | wc -l
yes | head -n 3
dd if=/dev/zero bs=1000 count=100 2>/dev/null | wc -c

# Files.
mkdir -p tree/a/b && echo one >tree/a/1 && echo two >tree/a/b/2 && ln -s ../1 tree/a/b/link && ln tree/a/1 tree/hard
find tree | sort
cat tree/a/b/link tree/hard
tar -cf all.tar tree && mkdir copy && tar -xf all.tar -C copy && diff -r tree copy/tree && echo "tar keeps all"
chmod 640 tree/a/1 && stat -c '%a %h %F' tree/a/1 tree/a tree/a/b/link && stat -c %s tree/a/1
gzip -c all.tar | gunzip | cmp - all.tar && echo "gzip keeps all"
mv tree/a tree/c && ls tree tree/c && rm -r tree && ls
seq 1 20000 >numbers && md5sum numbers && sort -rn numbers | head -n 2 && cut -c2- numbers | sort -u | wc -l
readlink -f copy/tree/a/b/link | sed "s|$1||"
test -e none || echo "none is not there"
cat none 2>&1
ls none; echo "status $?"

# Processes: background, wait, traps, signals, statuses.
(sleep 0.2; echo "in the background") &
wait $! && echo "waited"
trap 'echo "a trap"' USR1
kill -USR1 $$
sh -c 'kill -9 $$'; echo "status $?"
(exit 3); echo "status $?"
sleep 100 & pid=$!
kill $pid; wait $pid 2>/dev/null; echo "status $?"
timeout 0.1 sleep 100; echo "status $?"
mkfifo pipe && (echo "through a named pipe" >pipe &) && cat pipe
trap 'echo "at the end"' EXIT
exec 5>five && echo "to five" >&5 && exec 5>&- && cat five
f() { local x=1; eval "x=\$((x + $1))"; echo $x; return $x; }
f 4; echo "status $?"
i=0; while [ $i -lt 100 ]; do (:) & i=$((i + 1)); done; wait; echo "$i children"
ps -o comm | grep -c ps
