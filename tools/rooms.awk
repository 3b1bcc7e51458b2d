# SPDX-License-Identifier: BSD-2-Clause
# Finds includes that point up: a directory may include itself and the directories that docs/architecture.md names. The
# directories inside one are ordered too, and each may include the earlier ones. Also finds inline assembly outside of
# the files for it.
# usage: awk -f tools/rooms.awk FILE...     prints each such line; exit status 1 when there is one

BEGIN {
	# A room, and whose files it may include.
	may["abi"] = "abi"
	may["arch"] = "abi arch"
	may["kernel"] = "kernel arch abi"
	may["ringbuf"] = "ringbuf kernel arch abi"
	may["pmu"] = "pmu ringbuf kernel arch abi"
	may["trace"] = "trace pmu ringbuf kernel arch abi"
	may["bpf"] = "bpf trace pmu ringbuf kernel arch abi"
	may["api"] = "api bpf trace pmu ringbuf kernel arch abi"
	may["boot"] = "boot api bpf trace pmu ringbuf kernel arch abi"
	may["kernel/debug"] = "kernel/debug api bpf trace pmu ringbuf kernel arch abi"
	may["kernel/coverage"] = "kernel arch abi"
	may["kernel/vdso"] = "kernel/vdso abi"
	may["emulator/pt"] = "emulator/pt abi"
	may["emulator/visor"] = "emulator/visor emulator/pt abi arch/x86/cpu/insn.h"
	may["emulator/visor/model"] = "emulator/visor/model abi"
	may["emulator/sim"] = "emulator/sim emulator/pt abi apps/lib"
	may["emulator/components"] = "sim.h"
	may["apps"] = "apps abi"
	may["apps/sdk"] = "barepmu.h barepmu_events.h barepmu_regions.h"
	may["apps/sdk/component"] = "sim.h component.c"
	may["host"] = "host apps/lib apps/report emulator/visor/model emulator/sim abi"
	# The rooms inside a room, lowest first; files beside them are above all of them.
	order["arch/x86"] = "cpu decode paging apic trap start"
	order["host"] = "lib"
	order["kernel"] = "base mem time task signal file fs vm host device ipc process procfs"
	order["pmu"] = "base record core soft hw intel amd free"
	order["trace"] = "base buffer probe"
	order["trace/probe"] = "base kernel user"
	order["bpf"] = "object map"
	order["emulator/sim"] = "component config models memory branch decode pipeline options cpu experiment " \
		"replay profile plugin"
	order["emulator/sim/cpu"] = "page"
	order["emulator/sim/plugin"] = "qemu"
	order["emulator/visor"] = "model base vcpu count exit start"
	order["emulator/visor/model"] = "insn base intel amd core"
	# On the host the processor's instructions are the tests' (BAREPMU_HOST).
	exception["arch/x86/cpu/cpu.h", "tests/host/fake/fake_cpu.h"]
	# A circle that is one thing: a TLB shootdown is a call to other processors.
	exception["arch/x86/paging/paging.c", "arch/x86/trap/remote.h"]
	# Where inline assembly may be; in programs of Linux it may be anywhere.
	assembly["arch/x86/cpu/cpu.h"]
	assembly["arch/x86/cpu/insn.h"]
	assembly["arch/x86/cpu/percpu.h"]
	assembly["emulator/visor/base/cpu.h"]
	programs["apps"]
	programs["apps/sdk"]
	programs["kernel/vdso"]
}

# The innermost room that `file` is in: its longest directory with a row.
function room_of(file,   room) {
	for (room = file; room != "" && !(room in may); )
		if (!sub(/\/[^\/]*$/, "", room))
			break
	return room
}

function allowed(room, file,   directory, n) {
	for (n = split(may[room], directory, " "); n; n--)
		if (file == directory[n] || index(file, directory[n] "/") == 1)
			return 1
	return 0
}

# The room of `file` inside `outer`: its place in the order; above all when it is a file beside them.
function place(outer, file,   inner, n, i) {
	n = split(order[outer], inner, " ")
	for (i = 1; i <= n; i++)
		if (index(file, outer "/" inner[i] "/") == 1)
			return i
	return n + 1
}

# An include that stays in a room but climbs in the order of its inner rooms.
function climbs(from, to,   outer) {
	for (outer in order)
		if (index(from, outer "/") == 1 && index(to, outer "/") == 1 && place(outer, from) < place(outer, to))
			return 1
	return 0
}

function complain(text) {
	print FILENAME ":" FNR ": " text
	failed = 1
}

FNR == 1 {
	room = room_of(FILENAME)
	if (!(room in may) && FILENAME !~ /^tests\//)
		complain(room " is no room: tools/rooms.awk does not know what it may include")
}

# In angle brackets the host's and the compiler's headers are meant, unless the path begins in a room.
room in may && /^[ \t]*[#%][ \t]*include[ \t]*["<]/ {
	split($0, quoted, /["<>]/)
	if ($0 ~ /include[ \t]*</ && !(room_of(quoted[2]) in may && index(quoted[2], "/")))
		next
	if ((allowed(room, quoted[2]) && !climbs(FILENAME, quoted[2])) || (FILENAME, quoted[2]) in exception)
		next
	complain(room "/ must not include " quoted[2])
}

room in may && !(room in programs) && !(FILENAME in assembly) && /__asm__|(^|[^a-z_])asm[ \t]*(volatile|\()/ {
	complain("inline assembly: it lives in files of its own, for it")
}

END { exit failed }
