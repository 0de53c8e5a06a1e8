#!/bin/sh
# Checks a release in the folder $1: that its checksums hold, that building it again in
# $2 gives the same bytes, and that the package, unpacked, measures.
#
#   make release-check
set -eu
(cd "$1" && sha256sum --quiet -c SHA256SUMS)
"$(dirname "$0")/build.sh" "$2"
diff "$1/SHA256SUMS" "$2/SHA256SUMS" && echo "two builds gave the same bytes"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
dpkg-deb -x "$1"/assay_*_"$(dpkg --print-architecture)".deb "$root"
PATH=$root/usr/bin:$PATH HOME=$root
cd "$root"
assay version
assay operator --print-manifests --image registry.example/assay:0.1.0 | grep -q BenchmarkSchedule
test -s usr/share/man/man1/assay-run.1.gz
test -s usr/share/bash-completion/completions/assay
assay demo
