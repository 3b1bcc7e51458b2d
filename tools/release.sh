#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes the files of a release from the last commit: images, checksums, a list of what they contain (SPDX 2.3). Builds
# twice, in directories of different names, and fails unless both builds' files are equal.
# usage: tools/release.sh DIRECTORY
set -eu
cd "$(dirname "$0")/.."
out=${1:?directory for the files}
repository=$PWD
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

die() {
	echo "release: $*" >&2
	exit 1
}

# build CLONE FILES: the images of a clean clone.
build() {
	git clone -q "file://$repository" "$1"
	mkdir "$2"
	make -C "$1" -j"$(nproc)" all >"$2.log" 2>&1 || die "the build fails: $(tail -3 "$2.log")"
	(
		cd "$1"
		build/barepmu image --ignore-environment --cwd / --end wait -o "$2/barepmu-usb.img"
		build/barepmu image --ignore-environment --cwd / --end wait --self-test -o "$2/barepmu-selftest.img"
		build/barepmu image --ignore-environment --cwd / --end wait --self-test -o "$2/barepmu-selftest.efi"
	) >>"$2.log"
	sbom "$1/build" >"$2/barepmu.spdx"
	(cd "$2" && sha256sum -- * >SHA256SUMS)
}

# part NAME VERSION LICENCE: a package whose code or data is in the images.
part() {
	printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageVersion: %s\nPackageDownloadLocation: NOASSERTION\n' \
		"$1" "$1" "$2"
	printf 'FilesAnalyzed: false\nPackageLicenseConcluded: %s\nPackageLicenseDeclared: %s\n' "$3" "$3"
	printf 'PackageCopyrightText: NOASSERTION\n'
}

# linked PACKAGE LICENCE: Debian's package that the build machine has.
linked() {
	part "$1" "$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo unknown)" "$2"
	printf 'Relationship: SPDXRef-barepmu CONTAINS SPDXRef-%s\n' "$1"
}

# file PATH: a program of the build.
file() {
	id=$(echo "$1" | tr -c 'A-Za-z0-9.\n' -)
	printf '\nFileName: ./%s\nSPDXID: SPDXRef-File-%s\nFileChecksum: SHA1: %s\nFileChecksum: SHA256: %s\n' "$1" "$id" \
		"$(sha1sum "$1" | cut -d' ' -f1)" "$(sha256sum "$1" | cut -d' ' -f1)"
	printf 'LicenseConcluded: BSD-2-Clause\nLicenseInfoInFile: NOASSERTION\nFileCopyrightText: NOASSERTION\n'
	printf 'Relationship: SPDXRef-barepmu CONTAINS SPDXRef-File-%s\n' "$id"
}

# sbom BUILD: what the images contain.
sbom() {
	cd "$1"
	commit=$(git -C "$repository" rev-parse HEAD)
	printf 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: barepmu\n'
	printf 'DocumentNamespace: https://barepmu.invalid/spdx/%s\nCreator: Tool: tools/release.sh\n' "$commit"
	printf 'Created: %s\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
	part barepmu "$commit" BSD-2-Clause
	printf 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-barepmu\n'
	linked musl-dev MIT
	linked gnu-efi BSD-3-Clause
	linked fonts-spleen BSD-2-Clause
	file kernel.elf
	file BOOTX64.EFI
	find apps -maxdepth 1 -type f -executable | sort | while read -r name; do file "$name"; done
}

build "$room/one" "$room/first"
build "$room/another-one" "$room/second"
if ! diff -rq "$room/first" "$room/second"; then
	(cd "$room" && diff -rq one/build another-one/build | grep -v '\.[do] ' | head -20) >&2
	die "two builds differ"
fi
mkdir -p "$out"
cp "$room/first/"* "$out"
cat "$out/SHA256SUMS"
