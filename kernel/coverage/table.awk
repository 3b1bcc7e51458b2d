# SPDX-License-Identifier: BSD-2-Clause
# Sums what lcov found by the folders of the first two levels: lines and branches, and how many of them were reached.
# usage: awk -v top=FOLDER/ -f kernel/coverage/table.awk FILE.info

/^SF:/ {
	path = substr($0, 4)
	sub("^" top, "", path)
	n = split(path, part, "/")
	folder = n > 2 ? part[1] "/" part[2] : part[1]
}

/^(LF|LH|BRF|BRH):/ {
	split($0, field, ":")
	sum[folder, field[1]] += field[2]
	sum[part[1] "/*", field[1]] += field[2]
	seen[folder]
	seen[part[1] "/*"]
}

function share(part, all) {
	return all ? sprintf("%.1f %%", 100 * part / all) : "-"
}

END {
	for (folder in seen)
		printf "%-20s lines %5d %8s   branches %5d %8s\n", folder, sum[folder, "LF"],
			share(sum[folder, "LH"], sum[folder, "LF"]), sum[folder, "BRF"], share(sum[folder, "BRH"], sum[folder, "BRF"])
}
