#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs the README's two commands in a fresh minimal system of each Debian or Ubuntu release, and prints two tables: how
# they ended, and the features that work with the release's QEMU.
# As root, with debootstrap; needs about 4 GiB for each release, which it removes at the end.
# usage: tools/test_releases.sh [RELEASE...]     default: bookworm trixie; an Ubuntu release's name works, too
# environment: MIRROR, UBUNTU_MIRROR: archives; WORDS: words of tests/run.sh in place of the whole of `make test`;
#	KEEP=1: the systems stay; ROOM: the directory for them; LIMIT: seconds for each command, at most
set -eu
cd "$(dirname "$0")/.."

repository=$PWD
LIMIT=${LIMIT:-5400}
mirror() { sed -nE 's/^(URIs: *|deb +(\[[^]]*\] +)?)([^ ]*debian)( .*)?$/\3/p' /etc/apt/sources.list \
	/etc/apt/sources.list.d/*.sources 2>/dev/null | head -1; }
MIRROR=${MIRROR:-$(mirror)}
UBUNTU_MIRROR=${UBUNTU_MIRROR:-}

die() {
	echo "test-releases: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || die "debootstrap needs root"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "test-releases: only what is committed is tested" >&2
[ $# -gt 0 ] || set -- bookworm trixie
room=$(mktemp -d "${ROOM:-/var/tmp}/releases.XXXXXX")
[ -n "${KEEP:-}" ] || trap 'rm -rf --one-file-system "$room"' EXIT

# inside SYSTEM COMMAND: runs it there, in namespaces of its own, so that nothing stays mounted or running.
inside() {
	timeout "$LIMIT" unshare --mount --pid --fork --kill-child bash -c '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		mount -t sysfs sysfs "$1/sys"
		exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=true \
			bash -c "$2" </dev/null' inside "$1" "$2"
}

# fresh RELEASE SYSTEM: a minimal system with git, make and a clone, as the README asks for.
fresh() {
	local archive=$MIRROR
	[ -e "/usr/share/keyrings/debian-archive-keyring.gpg" ] || die "debian-archive-keyring is missing"
	case $(readlink -f "/usr/share/debootstrap/scripts/$1") in */gutsy) archive=$UBUNTU_MIRROR ;; esac
	[ -n "$archive" ] || return 1
	debootstrap --variant=minbase --include=ca-certificates,git,make "$1" "$2" "$archive" >"$2.log" 2>&1 || return 1
	case $archive in "$UBUNTU_MIRROR") echo "deb $archive $1 main universe" >"$2/etc/apt/sources.list" ;; esac
	git clone -q "file://$repository" "$2/root/barepmu"
}

# version SYSTEM PACKAGE: the upstream part of its version; "-" when it is not there.
version() {
	dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${Version}' "$2" 2>/dev/null | sed -E 's/^[0-9]+://; s/[-+].*//' |
		grep . || echo -
}

# command_result SYSTEM LOG COMMAND: sets `result` to its seconds, or to its failure.
command_result() {
	local begin=$SECONDS
	if inside "$1" "cd /root/barepmu && $3" >"$2" 2>&1; then
		result="$((SECONDS - begin)) s"
	else
		result="failed ($?) after $((SECONDS - begin)) s"
	fi
}

# tests LOG: prove's closing counts.
tests() {
	sed -n 's/^Files=\([0-9]*\), Tests=\([0-9]*\),.*/\2 tests in \1 scripts/p' "$1" | tail -1
}

# features SYSTEM: prints "NAME|yes" or "NAME|no: REASON" for each feature that its command lists.
features() {
	inside "$1" "cd /root/barepmu && build/barepmu --version -v" | sed -nE 's/^  (.*[^ ]) {2,}([^ ].*)$/\1|\2/p'
}

# column N: of such lines, as cells of a table's row.
column() {
	cut -d'|' -f"$1" | paste -sd'|' | sed 's/|/ | /g'
}

suite="make test"
[ -z "${WORDS:-}" ] || suite="make setup && make -j$(nproc) all tests && r=0; for w in $WORDS; do
	tests/run.sh build \$w || r=1; done; exit \$r"
table=$room/table failed=0
echo "| release | gcc | musl | gnu-efi | QEMU | make run | ${WORDS:+of }make test${WORDS:+: $WORDS} |
|---|---|---|---|---|---|---|" >"$table"
: >"$room/features"
for release; do
	system=$room/$release
	if ! fresh "$release" "$system"; then
		echo "test-releases: no system of $release (archive not reachable?)" >&2
		echo "| $release | not tried | | | | | |" >>"$table"
		continue
	fi
	command_result "$system" "$room/$release.run" "make run"
	run=$result
	command_result "$system" "$room/$release.test" "$suite"
	case "$run$result" in *failed*)
		failed=1
		grep -aE '^not ok|Failed|rror' "$room/$release.run" "$room/$release.test" | head -40 >&2 ;;
	esac
	features "$system" >"$room/$release.features" || :
	[ -s "$room/features" ] || echo "| QEMU | $(column 1 <"$room/$release.features") |" >"$room/features"
	echo "| $(version "$system" qemu-system-x86) | $(column 2 <"$room/$release.features") |" >>"$room/features"
	echo "| $release | $(version "$system" gcc) | $(version "$system" musl-tools) | $(version "$system" gnu-efi) |" \
		"$(version "$system" qemu-system-x86) | $run | $result, $(tests "$room/$release.test") |" >>"$table"
	[ -n "${KEEP:-}" ] || rm -rf --one-file-system "$system"
done
cat "$table"
echo
awk 'NR == 2 { columns = before; gsub(/[^|]+/, "---", columns); print columns } { before = $0; print }' "$room/features"
exit $failed
