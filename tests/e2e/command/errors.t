#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Everything that can go wrong ends in one clear line and the right status, without a machine that stays behind.
. tests/e2e/lib.sh

# wrong STATUS REGEXP NAME ARGUMENTS...: one line on stderr that matches, and that status.
wrong() {
	want=$1 line=$2 name=$3
	shift 3
	barepmu "$@"
	is $status "$want" "$name: status"
	is "$(wc -l <"$scratch/stderr")" 1 "$name: one line"
	has "$scratch/stderr" "$line" "$name: what it says"
}

wrong 125 "unknown command 'rnu': did you mean 'run'" "mistyped command" rnu
wrong 125 "unknown option '--pmmu': did you mean '--pmu'" "mistyped option" run --pmmu x -- spin
wrong 125 "unknown PMU 'skylak': did you mean 'skylake'" "mistyped PMU" run --pmu skylak -- spin
wrong 125 "unknown event 'cyclse': did you mean 'cycles'" "mistyped event" stat -e cyclse -- spin
wrong 125 "unknown firmware 'omvf': did you mean 'ovmf'" "mistyped firmware" run --firmware omvf -- spin
wrong 125 "wants a number" "timeout that is no number" run --timeout soon -- spin
wrong 125 "--smp wants a number from 1 to" "more processors than are possible" run --smp 1000 -- spin
wrong 125 "run wants a PROGRAM" "no program" run
wrong 125 "boot wants either" "boot without a kernel" boot
wrong 125 "boot takes no 'spin'" "boot with a program" boot --pmu none --kernel "$BUILD/kernel.elf" -- spin
printf 'MZ, and no more' >"$scratch/short.efi"
head -c 4096 /bin/sh >"$scratch/elf.efi"
# The machine of its header is another one's: ARM's, 0xaa64.
cp "$BUILD/visor.efi" "$scratch/arm.efi"
at=$(od -An -t u4 -j 60 -N 4 "$scratch/arm.efi" | xargs)
printf '\144\252' | dd of="$scratch/arm.efi" bs=1 seek=$((at + 4)) conv=notrunc status=none
# The signature would be past the file's end.
head -c 4096 "$BUILD/visor.efi" >"$scratch/far.efi"
printf '\377\377\377\377' | dd of="$scratch/far.efi" bs=1 seek=60 conv=notrunc status=none
for file in short elf arm far; do
	wrong 125 "$file.efi' is not an EFI program for x86-64" "boot --efi of what is none: $file" boot --pmu none \
		--efi "$scratch/$file.efi"
done
wrong 125 "cannot add '/nonexistent'" "missing --add" run --add /nonexistent -- spin
wrong 125 "cannot write '/nonexistent/file'" "unwritable -o" stat -o /nonexistent/file -- spin
wrong 125 "needs an emulated PMU" "--exact without one" run --pmu none --exact -- spin
wrong 125 "image takes no --smp" "an image for so many processors" image --smp 2 -o "$scratch/usb.img"
wrong 125 "image takes no --exact" "an image that steps" image --exact -o "$scratch/usb.img"
wrong 125 "image takes no --memory" "an image with so much memory" image --memory 64 -o "$scratch/usb.img"
wrong 125 "image takes no --core" "an image with a core" image --core skylake -o "$scratch/usb.img"
wrong 125 "--end wants wait, reboot or poweroff, not 'later'" "an end that is none" \
	image --end later -o "$scratch/usb.img"
wrong 125 "--end belongs to .barepmu image" "--end elsewhere" run --end wait -- true
wrong 125 "--kernel belongs to .barepmu trace., .barepmu boot" "--kernel elsewhere" run --kernel=x -- true
mkfifo "$scratch/device"
wrong 125 "is neither a regular file nor a disk" "an image in a device's place" image -o "$scratch/device"
wrong 125 "'.*device' is a FIFO without a writer" "a report out of a FIFO" report-machine "$scratch/device"
{ sleep 2; echo nothing; } >"$scratch/device" &
wrong 125 "is no report of a self-test" "a slow writer's is read" report-machine "$scratch/device"
wait
[ -p "$scratch/device" ]
is $? 0 "the device is still there"

wrong 125 "no directory /no/such in the image" "a directory that is not there" run --cwd /no/such -- true
wrong 125 "no directory /etc/passwd in the image" "a file as directory" run --cwd /etc/passwd -- true
wrong 127 "cannot find 'no-such-program'" "missing program" run -- no-such-program
wrong 127 "cannot find 'spni': .*: did you mean 'spin'" "mistyped application" run -- spni
wrong 127 "did you mean 'tests/e2e/command/run.t'" "mistyped program" run -- tests/e2e/command/rnu.t
wrong 125 "cannot add 'tests/e2e/command/rnu.t': .* did you mean 'tests/e2e/command/run.t'" "mistyped --add" \
	run --add tests/e2e/command/rnu.t:/x -- spin
wrong 126 "not a file" "directory as program" run -- /tmp/.
printf 'not an ELF\n' >"$scratch/text"
wrong 126 "not executable" "no right to execute" run -- "$scratch/text"
chmod +x "$scratch/text"
wrong 126 "not an ELF file" "text as program" run -- "$scratch/text"
echo 'int main(void) { return 0; }' | gcc -x c - -o "$scratch/dynamic" -Wl,--dynamic-linker=/lib/none.so
wrong 126 "needs /lib/none.so, which is not on this machine" "no interpreter for a dynamic program" run -- \
	"$scratch/dynamic"
echo 'int main(void) { return 0; }' | gcc -x c - -o "$scratch/astray" -Wl,--dynamic-linker="$scratch"
wrong 126 "needs $scratch, which is a directory, not a loader" "a directory as interpreter" run -- "$scratch/astray"
wrong 125 "^barepmu: --null is an option of perf's own stat: .barepmu perf stat --null ...." "an option of perf alone" \
	stat --null -- true
wrong 125 "^barepmu: -j is an option of perf's own record: .barepmu perf record -j ...." "a letter of perf alone" \
	record -j u -- true
# A loader of the program's own, and an auditor that it has the system's load, would write on the host.
printf '#!/bin/sh\ntouch %s\n' "$scratch/by-loader" >"$scratch/loader"
chmod +x "$scratch/loader"
echo 'int main(void) { return 0; }' | gcc -x c - -o "$scratch/own-loader" -Wl,--dynamic-linker="$scratch/loader"
barepmu run --pmu none -- "$scratch/own-loader"
has "$scratch/stderr" "brings its own loader, '$scratch/loader'" "a program's own loader: what it says"
[ ! -e "$scratch/by-loader" ]
is $? 0 "a program's own loader does not run on the host"
cat >"$scratch/auditor.c" <<'END'
#include <fcntl.h>
unsigned la_version(unsigned version)
{
	open(FILE, O_CREAT | O_WRONLY, 0600);
	return version;
}
END
gcc -shared -fPIC -DFILE="\"$scratch/by-auditor\"" "$scratch/auditor.c" -o "$scratch/auditor.so"
echo 'int main(void) { return 42; }' | gcc -x c - -o "$scratch/audited" -Wl,--audit="$scratch/auditor.so"
barepmu run --pmu none -- "$scratch/audited"
is $status 42 "a program that names an auditor runs"
[ ! -e "$scratch/by-auditor" ]
is $? 0 "an auditor that a program names writes nothing on the host"
for interpreter in /bin/ /etc/passwd /no/such; do
	printf '#!%s\n' "$interpreter" >"$scratch/script"
	chmod +x "$scratch/script"
	wrong 126 "wants the interpreter '$interpreter'" "a script's interpreter is $interpreter" run -- "$scratch/script"
done
head -c 40 "$BUILD/apps/spin" >"$scratch/short"
head -c 5000 "$BUILD/apps/spin" >"$scratch/cut"
{ head -c 18 "$BUILD/apps/spin"; printf '\267\000'; tail -c +21 "$BUILD/apps/spin"; } >"$scratch/arm"
chmod +x "$scratch/short" "$scratch/cut" "$scratch/arm"
wrong 126 "truncated" "header cut short" run -- "$scratch/short"
wrong 126 "truncated" "segments cut short" run -- "$scratch/cut"
wrong 126 "another machine" "program for another machine" run -- "$scratch/arm"

truncate -s 600M "$scratch/big"
wrong 125 "files take 6[0-9][0-9] MiB, its memory is 512: --memory 1024 has room" "more files than memory" run \
	--add "$scratch/big:/big" -- true

barepmu --help
is $status 0 "--help: status"
has "$scratch/stdout" 'sleeps skips virtual time' "--help tells of virtual time"
has "$scratch/stdout" '^usage: barepmu run' "--help: usage"
commands=$(sed -n 's/^[usage: ]*barepmu \([a-z][a-z-]*\).*/\1/p' "$scratch/stdout")
for option in flame html annotate diff kernel upload topdown call-graph range; do
	has "$scratch/stdout" "^  --$option" "--help: --$option"
done
barepmu
is $status 125 "no arguments: status"
has "$scratch/stderr" '^usage: barepmu COMMAND' "no arguments: usage"
is "$(wc -l <"$scratch/stderr")" 13 "no arguments: lines"
for command in $commands; do
	has "$scratch/stderr" "(^ *| )$command( |\.)" "no arguments: $command"
done
for command in $commands; do
	barepmu $command -h
	is "$status $(head -n 1 "$scratch/stdout" | cut -d' ' -f 1-3)" "0 usage: barepmu $command" "$command -h"
done
status=0
"$BAREPMU" --help >/dev/full 2>"$scratch/stderr" || status=$?
is "$status $(cat "$scratch/stderr")" "125 barepmu: cannot write the help: No space left on device" \
	"--help without room"
barepmu run --pmu help
is "$(awk '{ print $1 }' "$scratch/stdout" | tr '\n' ' ')" \
	"NAME host core-duo core2 nehalem sandy-bridge haswell skylake ice-lake sapphire-rapids granite-rapids gracemont \
alder-lake lunar-lake k10 zen2 zen3 zen4 zen5 none " "--pmu help lists them"
for pmu in $(awk 'NR > 1 && $1 != "host" { print $1 }' "$scratch/stdout"); do
	for page in README.md docs/emulated-pmu.md; do
		grep -q "\`$pmu\`" $page
		is $? 0 "$page tells of $pmu"
	done
done

is "$(awk '$1 == "skylake" { print $(NF - 5), $(NF - 4), $(NF - 3), $NF }' "$scratch/stdout")" "4 8+3 32 intel-v4" \
	"--pmu help: version, counters, branch records, former name"
is "$(sed -n 's/^zen5 .* \(like .*[^ ]\) *$/\1/p' "$scratch/stdout")" "like zen4" "--pmu help: a core that is another's"
barepmu stat --pmu zen5 --core zen4 -x, -e instructions:u -- spin
has "$scratch/stderr" 'core: zen4 \(simulated, in place of its own; time: instructions\)' \
	"a core in place of another: the answer names it"
barepmu stat --pmu intel-v2 -x, -e instructions:u -- spin
has "$scratch/stderr" '^# PMU: core2, emulated' "a former name is the processor's"

# From here on QEMU is played by a script.
mkdir "$scratch/bin"
cp tests/e2e/programs/fake-qemu.sh "$scratch/bin/qemu-system-x86_64"
real_path=$PATH
PATH=$scratch/bin:$PATH
export FAKE FAKE_VERSION
FAKE=good
barepmu run -- spin
is "$status $(cat "$scratch/stdout")" "7 hello" "frames are found after the firmware's text"
FAKE=damaged wrong 125 "damaged data" "damaged stream" run -- spin
FAKE=escape wrong 125 "bad name: '../escaped'" "file name that leaves the directory" run -- spin
FAKE=file wrong 125 "cannot write '/dev/full': No space left on device" "no room for a result" record -o /dev/full \
	-- spin
# An existing file stays until its whole replacement has come; a file is replaced only if no other name leads to it.
mkdir "$scratch/files"
echo old >"$scratch/files/data"
chmod 640 "$scratch/files/data"
FAKE=half wrong 125 "out of memory" "half a result" record -o "$scratch/files/data" -- spin
is "$(ls "$scratch/files"; cat "$scratch/files/data")" "$(printf 'data\nold')" "half a result: the old one is there"
exec 5<"$scratch/files/data"
FAKE=file barepmu record -o "$scratch/files/data" -- spin
is "$(ls "$scratch/files"; stat -c %a "$scratch/files/data"; cat "$scratch/files/data"; cat <&5)" \
	"$(printf 'data\n640\nPERFILE2old')" "a whole result takes its place"
exec 5<&-
ln "$scratch/files/data" "$scratch/files/name"
ln -s name "$scratch/files/link"
echo old >"$scratch/files/name"
FAKE=file barepmu record -o "$scratch/files/link" -- spin
is "$(cat "$scratch/files/data")$(readlink "$scratch/files/link")" PERFILE2name "a link's file is written in its place"
status=0
FAKE=good "$BAREPMU" run -- spin >/dev/full 2>"$scratch/stderr" || status=$?
is "$status $(cat "$scratch/stderr")" "125 barepmu: cannot write standard output: No space left on device" \
	"no room for the output"
FAKE=panic wrong 125 "kernel panic: out of memory" "panic" run -- spin
FAKE=unstarted wrong 126 "cannot run the program: wrong program" "program that cannot start" run -- spin
FAKE=complaint wrong 125 "QEMU failed: .*something is wrong" "QEMU's own error" run -- spin
FAKE=silent
barepmu run -- spin
is $status 125 "machine that just stops: status"
has "$scratch/stderr" 'stopped without a result; it last said: .*last words' "machine that just stops: last line"
FAKE=hang wrong 124 "stopped after 1 s" "timeout" run --timeout 1 -- spin
FAKE=hang python3 tests/e2e/programs/typist.py "$BAREPMU" run --timeout 8 -- spin --% '' '' \
	>"$scratch/came" 2>&1
grep -o 'run is starting, [0-9]* s of at most 8' "$scratch/came" >"$scratch/seconds"
is "$(uniq -d "$scratch/seconds")" "" "a terminal sees the time go by, each second once"
between "$(wc -l <"$scratch/seconds")" 2 7 "a terminal sees more than one second"
# A program that has printed lines and is silent: only of commands that are not typed at.
for command in stat run; do
	FAKE=talk python3 tests/e2e/programs/typist.py "$BAREPMU" $command --timeout 5 -- spin --% '' '' \
		>"$scratch/came" 2>&1
	is "$(grep -c "$command is running, [0-9]* s of at most 5, 2 lines so far" "$scratch/came")" \
		"$([ $command = stat ] && echo 1 || echo 0)" "$command on a terminal, after two lines: its progress"
done
is "$(FAKE=hang timeout 3 "$BAREPMU" boot --pmu none --kernel "$BUILD/kernel.elf" 2>&1 </dev/null)" \
	"barepmu: no time limit: --timeout S sets one" "boot without a limit says so"
is "$(FAKE=hang "$BAREPMU" boot --timeout 1 --pmu none --kernel "$BUILD/kernel.elf" 2>&1 </dev/null)" \
	"barepmu: stopped after 1 s (--timeout)" "boot with a limit keeps it"
FAKE_VERSION=6.2.0 FAKE=good wrong 125 "version 6: version 7 or later" "QEMU too old" run -- spin
mkdir "$scratch/empty"
for tool in sh timeout; do
	ln -s "$(PATH=$real_path command -v $tool)" "$scratch/empty/$tool"
done
PATH=$scratch/empty
status=0
timeout 600 "$BAREPMU" run -- spin >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
PATH=$real_path
is $status 125 "no QEMU: status"
has "$scratch/stderr" 'cannot run qemu-system-x86_64: install it' "no QEMU: what it says"

# A QEMU that fails is no kernel that ends well: both end with 1, or without a status.
: >"$scratch/none.elf"
barepmu boot --pmu none --timeout 60 --kernel "$scratch/none.elf"
is $status 125 "boot of a kernel that QEMU refuses: status"
has "$scratch/stderr" '^barepmu: QEMU failed' "boot of a kernel that QEMU refuses: what it says"
PATH=$scratch/bin:$real_path
FAKE=crash barepmu boot --pmu none --timeout 60 --kernel "$BUILD/kernel.elf"
PATH=$real_path
is $status 125 "boot, and QEMU crashes: status"
has "$scratch/stderr" '^barepmu: QEMU was ended by signal 11' "boot, and QEMU crashes: what it says"

# Ctrl-C ends the command and its machine.
PATH=$scratch/bin:$real_path
FAKE=hang "$BAREPMU" run -- spin 2>/dev/null &
command=$!
for _ in $(seq 600); do
	machine=$(ps -o pid=,args= --ppid $command | sed -n 's/ sleep 100$//p' | xargs)
	[ -z "$machine" ] || break
	sleep 0.1
done
kill -INT $command
wait $command
is $? 130 "Ctrl-C: status"
kill -0 $machine 2>/dev/null
is $? 1 "Ctrl-C: no machine stays behind"

# An interpreter that is a directory is none: its files are not copied.
mkdir -p "$scratch/files"
head -c 3000000 /dev/zero >"$scratch/files/large"
printf '#!%s\n' "$scratch/files" >"$scratch/script"
chmod +x "$scratch/script"
barepmu run --pmu none --memory 64 -- "$scratch/script"
is $status 126 "#! names a directory: status"
has "$scratch/stderr" "wants the interpreter '$scratch/files'" "#! names a directory: says so"
echo 'int main(void) { return 0; }' | gcc -xc - -Wl,--dynamic-linker="$scratch/files" -o "$scratch/dynamic"
barepmu run --pmu none --memory 64 -- "$scratch/dynamic"
is $status 126 "PT_INTERP names a directory: status"
finish
