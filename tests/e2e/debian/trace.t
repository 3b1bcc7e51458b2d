#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's perf and trace-cmd in the image as the judges of trace events: stat, record, script, trace, sched, probe.
. tests/e2e/lib.sh
command -v perf >/dev/null || skip_all "no perf"
stock_perf
cat >"$scratch/commands" <<'COMMANDS'
cd /tmp
/perf stat -x, -e syscalls:sys_enter_exit_group,syscalls:sys_exit_execve,sched:sched_process_exec /spin 1000 2>&1
/perf stat -e 'syscalls:*' /spin 1000 2>&1 |
	while read -r count event; do case $count in [1-9]*) echo "all $event $count" ;; esac; done
/perf record -q -o switches -e sched:sched_switch -e sched:sched_wakeup -a /spin 1000
/perf script -i switches -F comm,event,trace
/perf record -q -o filtered -e syscalls:sys_enter_write --filter 'fd == 1 && count > 0' /bin/sh -c 'echo written'
/perf script -i filtered -F comm,event,trace
/perf trace /bin/sh -c 'echo traced' 2>&1
/perf sched record -o schedule /bin/sh -c '/spin 1000; /spin 1000' >/dev/null 2>&1
/perf sched -i schedule latency
/perf probe -q -x /spin main 2>&1
/perf probe -q -x /spin 'main%return result=$retval' 2>&1
/perf record -q -o probed -e 'probe_spin:*' /spin 1000
/perf script -i probed -F comm,event,trace 2>/dev/null
/perf probe -q -d 'probe_spin:*' 2>&1
cat /sys/kernel/tracing/uprobe_events
grep -c -x sys_read /sys/kernel/tracing/available_filter_functions
trace-cmd record --nosplice -e sched:sched_switch -e syscalls:sys_enter_writev -o file /spin 1000 >/dev/null 2>&1
echo trace-cmd ends with $?
trace-cmd report -i file
trace-cmd record -e syscalls:sys_enter_writev -o spliced /spin 1000 >/dev/null 2>&1
echo trace-cmd spliced with $?
trace-cmd report -i spliced | sed 's/^/spliced /'
trace-cmd record -B mine -e syscalls:sys_enter_writev -o instance /spin 1000 >/dev/null 2>&1
echo trace-cmd -B ends with $?
trace-cmd report -i instance
ls /sys/kernel/tracing/instances | sed 's/^/left: /'
mkdir /sys/fs/cgroup/in /sys/fs/cgroup/beside
/perf stat -a -x, -e page-faults --for-each-cgroup in,beside \
	/bin/sh -c 'echo 0 >/sys/fs/cgroup/in/cgroup.procs; /spin 1000' 2>&1
COMMANDS
printf 'exec 2>/tmp/errors\n' | cat - "$scratch/commands" >"$scratch/script"
# shellcheck disable=SC2086
barepmu run --memory 512 $add --add "$scratch/script:/script" -- /bin/sh /script
out=$scratch/stdout
is $status 0 "the script ends"
is "$(field syscalls:sys_enter_exit_group)" 1 "perf stat: one way out"
is "$(field syscalls:sys_exit_execve)" 1 "one program is executed"
is "$(field sched:sched_process_exec)" 1 "perf stat: one sched_process_exec"
has "$out" '^all syscalls:sys_enter_exit_group 1' "perf stat -e 'syscalls:*': all events at once"
# Since 6.12 perf has libtraceevent's plugins, which print these two in words of their own.
words='prev_comm=perf prev_pid=[0-9]+ prev_prio=120 prev_state=[SR].* ==> next_comm='
has "$out" "sched:sched_switch: ($words|perf:[0-9]+ \[120\] [SR] ==> )" "perf script: a switch"
has "$out" 'sched:sched_wakeup: (comm=.* pid=[0-9]+ prio=120 target_cpu=000|[a-z-]+:[0-9]+ \[120\] CPU:000)' "a wake-up"
has "$out" 'sh +syscalls:sys_enter_write: fd: 0x00000001, buf: 0x[0-9a-f]+, count: 0x00000008' \
	"perf record --filter: what passes"
is "$(grep -c 'syscalls:sys_enter_write:' "$out")" 1 "perf record --filter: no other record"
has "$out" '^ *[0-9.]+ \( *[0-9.]+ ms\): sh/[0-9]+ write\(fd: 1, buf: (0x[0-9a-f]+)?, count: 7\) += 7' \
	"perf trace: a call with its result"
has "$out" 'exit_group\(\) += \?' "perf trace: a call that does not return"
has "$out" '^ *spin:[0-9(]+\)? +\| +[0-9.]+ ms \| +[0-9]+ \|' "perf sched latency: who ran"
has "$out" '^ *spin +probe_spin:main: \([0-9a-f]+\)$' "perf probe -x: a function's begin"
has "$out" 'probe_spin:main__return: \([0-9a-f]+ <- [0-9a-f]+\) result=0x0' "perf probe -x: a function's return value"
is "$(grep -c /spin:0x "$out")" 0 "perf probe -d takes them away"
has "$out" '^1$' "functions that a probe may be at are listed"
if command -v trace-cmd >/dev/null; then
	flags='\[000\]( [.dNnpbh]{4,5})? +[0-9.]+:' # which trace-cmd 3.3 prints
	has "$out" '^trace-cmd ends with 0$' "trace-cmd record ends"
	has "$out" "^ *spin-[0-9]+ +$flags sys_enter_writev: +fd: 0x00000001, vec: 0x[0-9a-f]+, vlen: 0x00000002" \
		"trace-cmd report: a call of the program's"
	has "$out" "^ *spin-[0-9]+ +$flags sched_switch: +spin:[0-9]+ \[120\] . ==> trace-cmd:" \
		"trace-cmd report: the switch at the program's end"
	has "$out" '^trace-cmd spliced with 0$' "trace-cmd record that splices"
	has "$out" '^trace-cmd -B ends with 0$' "trace-cmd record -B"
	has "$out" "^mine: +spin-[0-9]+ +$flags sys_enter_writev: +fd: 0x00000001, " "has the instance's"
	is "$(grep -c '^left: ' "$out")" 0 "trace-cmd: the instance is removed"
	has "$out" "^spliced +spin-[0-9]+ +$flags sys_enter_writev: +fd: 0x00000001, " "has it, too"
else
	skip "no trace-cmd"
fi
has "$out" '^[1-9][0-9]*,,page-faults,in,[0-9]+,100.00' "perf stat --for-each-cgroup: who is in one"
has "$out" '^<not counted>,,page-faults,beside,0,' \
	"perf stat --for-each-cgroup: tasks outside the group are not counted"
finish
