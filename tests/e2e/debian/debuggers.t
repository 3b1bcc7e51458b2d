#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's strace, ltrace and gdb in the image. The output of strace and ltrace is the one on Debian's kernel.
. tests/e2e/lib.sh
program=tests/e2e/programs/traced.c
gcc -O0 -g -static -o "$scratch/traced" $program
gcc -O0 -g -no-pie -o "$scratch/dynamic" $program

# alike NAME OPTIONS... -- PROGRAM...: compares both kernels, except for addresses and numbers of processes.
alike() {
	name=$1
	shift
	for kernel in linux run; do
		case $kernel in
		linux) linux_quickly "$@" ;;
		run) barepmu run "$@" ;;
		esac
		is $status 0 "$name, $kernel: runs"
		cat "$scratch/stdout" "$scratch/stderr" | tr -s ' ' | sed -e 's/0x[0-9a-f]*/ADDRESS/g' -e 's/\[pid *[0-9]*\]/[pid]/' \
			-e 's/Process [0-9]*/Process N/' -e 's/kill([0-9]*/kill(N/' -e 's/\(pid\|time\)=[0-9]*/\1=N/g' \
			-e 's/clone(.*) = [0-9]*/clone/' >"$scratch/$kernel"
	done
	is "$(diff "$scratch/linux" "$scratch/run")" "" "$name: tell the same on both"
}

cat >"$scratch/tracers" <<'X'
/usr/bin/strace -f -e trace=execve,write,kill,exit_group \
	/bin/sh -c 'trap "echo caught" USR1; kill -USR1 $$; X=$(/traced); echo "$X"' &&
	/usr/bin/ltrace /dynamic
X
prototypes= # of the C library's functions: in Debian 12's ltrace.conf itself
for file in /usr/share/ltrace/*; do
	[ ! -f "$file" ] || prototypes="$prototypes --add $file"
done
# shellcheck disable=SC2086 # words
alike "strace, ltrace" $prototypes --add "$scratch/traced:/traced" \
	--add /usr/bin/busybox:/bin/sh --add /usr/bin/strace \
	--add "$scratch/dynamic:/dynamic" --add /etc/ltrace.conf --add /usr/bin/ltrace --add "$scratch/tracers:/tracers" \
	-- /bin/sh /tracers
has "$scratch/run" '^\[pid\] \+\+\+ exited with 0' "strace: and does tell"
has "$scratch/run" '^printf\(' "ltrace: and does tell"

# gdb: a breakpoint in a static program, its callers, its result, steps.
cat >"$scratch/commands" <<'X'
set confirm off
break inner
run
backtrace
info proc mappings
finish
delete
stepi
print result
up
print sum
watch sum
continue
delete
continue
X
barepmu run --memory 1024 --add "$scratch/traced:/traced" --add "$scratch/commands:/commands" \
	--add /usr/bin/busybox:/bin/sh \
	--add "$(find /usr/lib -maxdepth 1 -name 'python3.*' | sort | tail -n 1)" --add /usr/share/gdb \
	-- /usr/bin/gdb -nx -batch -x /commands /traced
is $status 0 "gdb: runs"
has "$scratch/stdout" '^#1 .*middle .n=0. at' "gdb: stops at a breakpoint, and knows the callers"
has "$scratch/stdout" '^#2 .*main .' "gdb: up to main"
has "$scratch/stdout" 'r-xp.*\[vdso\]' "gdb: sees the areas"
has "$scratch/stdout" '^Value returned is .1 = 0' "gdb: finish shows the result"
has "$scratch/stdout" '^.3 = 0$' "gdb: after a step, a variable of the caller"
has "$scratch/stdout" '^Hardware watchpoint .*: sum' "gdb: watches a variable"
has "$scratch/stdout" '^Old value = 0' "gdb: tells what it was"
has "$scratch/stdout" '^New value = 1' "gdb: and what it is"
has "$scratch/stdout" 'exited normally' "gdb: the program runs to its end"

# A core file of the image, in the host's gdb.
cat >"$scratch/fails.c" <<'X'
int main(void) { volatile int value = 4242; *(volatile int *)8 = value; }
X
gcc -O0 -g -static -o "$scratch/fails" "$scratch/fails.c"
(cd "$scratch" && "$BAREPMU" run --pmu none --add /usr/bin/busybox:/bin/sh --add fails:/fails -- /bin/sh -c \
	'ulimit -c unlimited; cd /out; /fails; echo "status $?"' >stdout 2>stderr)
has "$scratch/stdout" '^status 139$' "a core file: the program's status"
gdb -nx -batch -ex 'print value' -ex 'print $_siginfo._sifields._sigfault.si_addr' "$scratch/fails" \
	"$scratch/out/core" >"$scratch/stdout" 2>&1
has "$scratch/stdout" '^.1 = 4242$' "a core file: gdb shows a variable"
has "$scratch/stdout" '^.2 = .* 0x8$' "a core file: gdb shows the address of the fault"

# The kernel itself, while it runs, by its own file and /proc/kcore.
barepmu run --pmu none --smp 2 --memory 1024 --add "$BUILD/kernel.elf:/vmlinux" \
	--add "$BUILD/kernel.debug:/kernel.debug" \
	--add "$(find /usr/lib -maxdepth 1 -name 'python3.*' | sort | tail -n 1)" --add /usr/share/gdb \
	-- /usr/bin/gdb -nx -batch -ex 'print nr_cpus' -ex 'print boot_cpu.self == &boot_cpu' -ex 'x/i syscall_entry' \
	/vmlinux /proc/kcore
is $status 0 "gdb with /proc/kcore: runs"
has "$scratch/stdout" '^.1 = 2$' "gdb with /proc/kcore: reads a variable of the kernel"
has "$scratch/stdout" '^.2 = 1$' "gdb with /proc/kcore: follows a pointer"
has "$scratch/stdout" '<syscall_entry>:.swapgs' "gdb with /proc/kcore: shows its code"
finish
