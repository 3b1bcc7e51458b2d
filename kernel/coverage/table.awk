# SPDX-License-Identifier: BSD-2-Clause
# Sums what lcov found by the directories of the first two levels: lines and branches, and how many were reached.
# usage: awk -v top=DIRECTORY/ -f kernel/coverage/table.awk FILE.info

/^SF:/ {
	path = substr($0, 4)
	sub("^" top, "", path)
	n = split(path, part, "/")
	directory = n > 2 ? part[1] "/" part[2] : part[1]
}

/^(LF|LH|BRF|BRH):/ {
	split($0, field, ":")
	sum[directory, field[1]] += field[2]
	sum[part[1] "/*", field[1]] += field[2]
	seen[directory]
	seen[part[1] "/*"]
}

function share(part, all) {
	return all ? sprintf("%.1f %%", 100 * part / all) : "-"
}

END {
	for (directory in seen)
		printf "%-20s lines %5d %8s   branches %5d %8s\n", directory, sum[directory, "LF"],
			share(sum[directory, "LH"], sum[directory, "LF"]), sum[directory, "BRF"],
			share(sum[directory, "BRH"], sum[directory, "BRF"])
}
