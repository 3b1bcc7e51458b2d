# SPDX-License-Identifier: BSD-2-Clause
# Finds functions that are declared elsewhere than beside their definition: a header declares functions of its own
# directory, or of one inside it. So a function is found where its header is, and includes that point down are calls
# that point down.
# usage: awk -f tools/declarations.awk FILE...     prints each such function; exit status 1 when there is one

BEGIN {
	# Calls that point up, each for a reason that its header states.
	exception["kernel/base/list.h", "check_list_insert"]
	exception["kernel/base/list.h", "check_list_remove"]
	exception["kernel/file/file.h", "check_file_refs"]
	exception["kernel/base/log.h", "panic"]
	exception["kernel/signal/syscall.h", "syscall_continues"]
	exception["kernel/signal/syscall.h", "syscall_restarts"]
	exception["kernel/signal/syscall.h", "syscall_unknown"]
	exception["kernel/task/task.h", "task_get"]
	exception["kernel/task/task.h", "task_put"]
	# Parts that are built separately: the image, the visor, the core, the command. Names may repeat between them.
	split("abi/ apps/ host/ emulator/visor/ emulator/sim/ emulator/pt/ emulator/components/ tests/ boot/uefi/", parts)
}

function directory(file) {
	sub(/\/[^\/]*$/, "", file)
	return file
}

# The part that a file belongs to; "image" is the kernel with the rooms above it.
function part(file,   i) {
	for (i in parts)
		if (index(file, parts[i]) == 1)
			return parts[i]
	return "image"
}

# The name of the function that the statement declares or defines; "": none.
function function_name(text) {
	if (text ~ /^[ \t]*(static|typedef|struct [a-z_0-9]+[ \t]*$|union|enum|return)/ || text !~ /^[ \t]*[A-Za-z_].*\(/)
		return ""
	gsub(/__attribute__[ \t]*\(\([^()]*(\([^()]*\))*[^()]*\)\)/, "", text)
	if (text ~ /[=]/ || !match(text, /[A-Za-z_][A-Za-z_0-9]*\(/) || text !~ /^[ \t]*[A-Za-z_][A-Za-z_0-9]*[ \t*]/)
		return ""
	return substr(text, RSTART, RLENGTH - 1)
}

function declare(name) {
	if (name != "" && FILENAME ~ /\.h$/)
		declared[FILENAME, name] = FNR
}

function define(name) {
	if (name != "" && FILENAME !~ /\.h$/)
		defined[part(FILENAME), name] = FILENAME
}

FNR == 1 {
	statement = ""
	depth = comment = macro = 0
}

# Comments and the preprocessor's lines are left out.
{
	line = $0
	if (comment && !sub(/^.*\*\//, "", line))
		next
	comment = 0
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
	if (sub(/\/\*.*$/, "", line))
		comment = 1
	if (macro || line ~ /^[ \t]*#/) {
		macro = line ~ /\\$/
		next
	}
	gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/, "", line)
}

{
	for (i = 1; i <= length(line); i++) {
		letter = substr(line, i, 1)
		if (letter == "{" && !depth++)
			define(function_name(statement))
		else if (letter == ";" && !depth)
			declare(function_name(statement))
		if (!depth && letter != ";" && letter != "}")
			statement = statement letter
		else if (letter == ";" || letter == "{" || letter == "}")
			statement = ""
		if (letter == "}")
			depth--
	}
	statement = statement " "
}

END {
	for (key in declared) {
		split(key, word, SUBSEP)
		where = defined[part(word[1]), word[2]]
		if (where == "" || key in exception || index(directory(where) "/", directory(word[1]) "/") == 1)
			continue
		print word[1] ":" declared[key] ": " word[2] "() is defined in " where
		failed = 1
	}
	exit failed
}
