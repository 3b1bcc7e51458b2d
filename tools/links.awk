# SPDX-License-Identifier: BSD-2-Clause
# Finds links in Markdown that lead to no file or to no heading, and names of files in backquotes that this project has
# not: a name with a directory must be a path, one without must be the last part of one.
# usage: git ls-files | awk -f tools/links.awk - FILE.md...     prints each; exit status 1 when there is one

function directory(file) {
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

# The name by which a link reaches a heading.
function anchor(heading) {
	sub(/^#+ +/, "", heading)
	heading = tolower(heading)
	gsub(/[^a-z0-9 _-]/, "", heading)
	gsub(/ /, "-", heading)
	return heading
}

FILENAME == "-" {
	files[$0] = 1
	name = $0
	sub(/.*\//, "", name)
	names[name] = 1
	for (path = directory($0); path != ""; path = directory(path)) {
		files[path] = 1
		sub(/\/$/, "", path)
	}
	next
}

FNR == 1 {
	read[FILENAME] = 1
	code = 0
}

/^```/ {
	code = !code
}

/^#/ && !code {
	headings[FILENAME "#" anchor($0)] = 1
}

{
	for (rest = $0; match(rest, /\]\([^)]*#[^)]+/); rest = substr(rest, RSTART + RLENGTH)) {
		target = substr(rest, RSTART + 2, RLENGTH - 2)
		wanted[FILENAME ":" FNR] = target ~ /^#/ ? FILENAME target : plain(directory(FILENAME) target)
	}
	for (rest = $0; match(rest, /\]\([^)#]+/); rest = substr(rest, RSTART + RLENGTH)) {
		target = substr(rest, RSTART + 2, RLENGTH - 2)
		if (target !~ /^[a-z]+:/ && !(plain(directory(FILENAME) target) in files))
			complain("the link " target " leads nowhere")
	}
	for (rest = $0; match(rest, /`[a-z][A-Za-z0-9_.\/-]*\.(c|h|asm|awk|sh|t|mk|inc|md)`/);
	     rest = substr(rest, RSTART + RLENGTH)) {
		target = substr(rest, RSTART + 1, RLENGTH - 2)
		if (target !~ /^build\// && !(index(target, "/") ? target in files : target in names))
			complain("there is no " target)
	}
}

END {
	for (place in wanted) {
		file = wanted[place]
		sub(/#.*/, "", file)
		if (file in read && !(wanted[place] in headings)) {
			print place ": the link " wanted[place] " leads to no heading"
			failed = 1
		}
	}
	exit failed
}
