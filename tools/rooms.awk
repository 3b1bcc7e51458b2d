# SPDX-License-Identifier: BSD-2-Clause
# Finds includes that point up: a room may include itself and those that docs/architecture.md names.
# usage: awk -f tools/rooms.awk FILE...     prints each such line; exit status 1 when there is one

BEGIN {
	# A room, and whose files it may include.
	may["arch"] = "arch"
	may["kernel"] = "kernel arch"
	may["ringbuf"] = "ringbuf kernel arch"
	may["pmu"] = "pmu ringbuf kernel arch"
	may["api"] = "api pmu ringbuf kernel arch"
	may["boot"] = "boot api pmu ringbuf kernel arch"
	may["visor"] = "visor"
	may["visor/model"] = "visor/model"
	may["apps"] = "apps"
	may["tools"] = "tools apps/lib visor/model"
	# On the host the processor's instructions are the tests' (BAREPMU_HOST).
	exception["arch/x86/cpu.h", "tests/host/fake_cpu.h"]
}

function room_of(file,   part) {
	split(file, part, "/")
	return part[1] "/" part[2] in may ? part[1] "/" part[2] : part[1]
}

function allowed(room, file,   folder, n) {
	for (n = split(may[room], folder, " "); n; n--)
		if (index(file, folder[n] "/") == 1)
			return 1
	return 0
}

FNR == 1 { room = room_of(FILENAME) }

room in may && /^[ \t]*[#%]include "/ {
	split($0, quoted, "\"")
	if (allowed(room, quoted[2]) || (FILENAME, quoted[2]) in exception)
		next
	print FILENAME ":" FNR ": " room "/ must not include " quoted[2]
	failed = 1
}

END { exit failed }
