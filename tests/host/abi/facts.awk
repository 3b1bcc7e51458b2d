# SPDX-License-Identifier: BSD-2-Clause
# Lists what headers of abi/linux/ and abi/asm/ define, for tests/host/abi/facts.h: constants, sizes of structs, their
# fields.
# usage: awk -f tests/host/abi/facts.awk HEADER...     prints lines FACT(NAME, VALUE), and BITS(NAME, STRUCT, FIELD) for
# bit-fields

function fact(name, value) {
	printf "FACT(\"%s\", %s)\n", name, value
}

# Ends a struct or union: adds its fields to the enclosing one, or prints them at the outermost level.
function finish(name,    n, i, parts) {
	n = split(fields[depth], parts, " ")
	fields[depth] = ""
	depth--
	for (i = 1; i <= n; i++) {
		field = parts[i]
		if (depth) {
			fields[depth] = fields[depth] " " (name == "" ? field : bits(field) ? "" : name "." field)
		} else if (bits(field)) {
			printf "BITS(\"%s.%s\", %s, %s)\n", type, substr(field, 2), type, substr(field, 2)
		} else if (type != absent) {
			fact(type "." field, "offsetof(" type ", " field ")")
		}
	}
	if (!depth && type != absent)
		fact("sizeof " type, "sizeof(" type ")")
}

function bits(field) {
	return substr(field, 1, 1) == ":"
}

# A line of declarations: `__u32 a, b;`, `unsigned long d : 2;`, `char *e[16];`. Reserved fields change their size.
function declare(line,    n, i, parts, name, width) {
	sub(/;.*/, "", line)
	n = split(line, parts, ",")
	for (i = 1; i <= n; i++) {
		width = parts[i] ~ /:/
		name = parts[i]
		gsub(/:.*|\[.*/, "", name)
		sub(/[ \t]*$/, "", name)
		sub(/.*[ \t*]/, "", name)
		if (name != "" && name !~ /res(erved)?$|reserved_?|rsvd|____|pad(ding)?$/)
			fields[depth] = fields[depth] " " (width ? ":" : "") name
	}
}

BEGIN { absent = "struct sched_param" } # later headers leave it to the C library
{ sub(/[ \t]*\/\*.*/, "") }
/^#define ([A-Z_0-9]+|__NR_[a-z_0-9]+)[ \t]+[^ \t"]/ && $2 !~ /_H$/ { fact($2, "(" $2 ")") }
/^enum .*\{/, /\}/ {
	line = $0
	sub(/^enum[^{]*\{/, "", line)
	while (match(line, /[A-Z][A-Za-z_0-9]+/)) {
		name = substr(line, RSTART, RLENGTH)
		fact(name, "(" name ")")
		line = substr(line, RSTART + RLENGTH)
		sub(/^[^,]*,?/, "", line)
	}
	next
}
/^(typedef )?(struct|union) [a-z_0-9]+ \{/ { sub(/^typedef /, ""); type = $1 " " $2; depth = 1; next }
depth && /\{$/ { depth++; next }
depth && /^[ \t]*\}/ { name = $2; sub(/;/, "", name); finish(name ~ /^__attribute__/ ? "" : name); next }
depth && /;/ { declare($0) }
