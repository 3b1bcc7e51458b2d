# SPDX-License-Identifier: BSD-2-Clause
# Finds links in Markdown that lead to no file, and names of this project's files in backquotes that are none.
# usage: git ls-files | awk -f tools/links.awk - FILE.md...     prints each; exit status 1 when there is one

function folder(file) {
	sub(/[^\/]*$/, "", file)
	return file
}

# "docs/../README.md" without the way round.
function plain(path) {
	while (sub(/[^\/]+\/\.\.\//, "", path))
		;
	return path
}

function complain(what) {
	print FILENAME ":" FNR ": " what
	failed = 1
}

FILENAME == "-" {
	files[$0] = 1
	for (path = folder($0); path != ""; path = folder(path)) {
		files[path] = 1
		sub(/\/$/, "", path)
		rooms[path] = 1
	}
	next
}

{
	for (rest = $0; match(rest, /\]\([^)#]+/); rest = substr(rest, RSTART + RLENGTH)) {
		target = substr(rest, RSTART + 2, RLENGTH - 2)
		if (target !~ /^[a-z]+:/ && !(plain(folder(FILENAME) target) in files))
			complain("the link " target " leads nowhere")
	}
	for (rest = $0; match(rest, /`[a-z][A-Za-z0-9_.\/-]*\.(c|h|asm|awk|sh|t|mk|inc|md)`/);
	     rest = substr(rest, RSTART + RLENGTH)) {
		target = substr(rest, RSTART + 1, RLENGTH - 2)
		if (index(target, "/") && !(target in files) && target !~ /^build\//)
			complain("there is no " target)
	}
}

END { exit failed }
