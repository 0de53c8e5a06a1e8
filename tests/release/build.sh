#!/bin/sh
# Builds what a release holds into the folder $1: an archive for each system, a Debian
# package for each Linux, an SBOM for each program, and their checksums. The same commit
# gives the same bytes: paths are trimmed, and every file carries the commit's date.
#
#   make release
set -eu
case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
systems=${SYSTEMS:-linux/amd64 linux/arm64 darwin/arm64 windows/amd64}
maintainer=${MAINTAINER:-assay <assay@localhost>}

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 LC_ALL=C TZ=UTC
umask 022

# build GOOS/GOARCH FILE PACKAGE [MODULE]: cgo is off, so NVML is left out and GPUs are read by
# nvidia-smi; in return one static program runs on every Linux.
build() {
	GOOS=${1%/*} GOARCH=${1#*/} go build -C "${4:-.}" -trimpath -buildvcs="${BUILDVCS:-true}" -ldflags "-s -w" -o "$2" "$3"
}

# sbom FILE OUT: what the program says that it was built from.
sbom() {
	go tool -modfile=tools/go.mod cyclonedx-gomod bin -json -std -noserial -notimestamp -version "$version" -output "$2" "$1"
}

# archive FOLDER: FOLDER.tar.gz, in the order of names and owned by nobody in particular.
archive() {
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
		-C "$out" -cf - "$1" | gzip -n -9 >"$out/$1.tar.gz"
}

# texts FOLDER: what people read, and what shells and man read.
texts() {
	mkdir -p "$1/completion" "$1/man/man1"
	cp LICENSE README.md CHANGELOG.md "$1"
	cp "$work"/completion/* "$1/completion"
	cp "$work"/man/* "$1/man/man1"
}

# debian ARCH PROGRAM VERSION: a package that installs the program, its pages and
# completions.
debian() {
	root=$work/deb-$1
	mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/man/man1" "$root/usr/share/doc/assay" \
		"$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
	cp "$2" "$2-operator" "$root/usr/bin"
	cp "$work"/man/* "$root/usr/share/man/man1" && gzip -n -9 "$root"/usr/share/man/man1/*
	cp LICENSE "$root/usr/share/doc/assay/copyright"
	cp "$work/completion/assay.bash" "$root/usr/share/bash-completion/completions/assay"
	cp "$work/completion/_assay" "$root/usr/share/zsh/vendor-completions/_assay"
	cp "$work/completion/assay.fish" "$root/usr/share/fish/vendor_completions.d/assay.fish"
	cat >"$root/DEBIAN/control" <<-END
		Package: assay
		Version: $3
		Architecture: $1
		Maintainer: $maintainer
		Section: utils
		Priority: optional
		Installed-Size: $(du -sk "$root/usr" | cut -f1)
		Description: honest benchmarks of LLM serving, training and collectives
		 One program that measures a distributed AI system and says how sure it is:
		 every number with its interval, its conditions and its raw evidence.
	END
	dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/assay_$3_$1.deb" >/dev/null
}

rm -rf "$out" && mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The texts are written by the program itself, as built for this machine. Some of its
# flags have defaults that go by the processors there are.
export GOMAXPROCS=2
build "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$work/assay" ./cmd/assay
version=$("$work/assay" version)
mkdir -p "$work/completion"
"$work/assay" man "$work/man" 2>/dev/null
"$work/assay" completion bash >"$work/completion/assay.bash"
"$work/assay" completion zsh >"$work/completion/_assay"
"$work/assay" completion fish >"$work/completion/assay.fish"
"$work/assay" completion powershell >"$work/completion/assay.ps1"

for system in $systems; do
	name=assay-$version-$(echo "$system" | tr / -)
	mkdir -p "$out/$name"
	case $system in
	windows/*) build "$system" "$out/$name/assay.exe" ./cmd/windows; sbom "$out/$name/assay.exe" "$out/$name.cdx.json"; cp LICENSE docs/guides/systems.md "$out/$name" ;;
	*)
		build "$system" "$out/$name/assay" ./cmd/assay
		build "$system" "$out/$name/assay-operator" ./assay-operator operator
		sbom "$out/$name/assay" "$out/$name.cdx.json"
		sbom "$out/$name/assay-operator" "$out/assay-operator-$version-$(echo "$system" | tr / -).cdx.json"
		texts "$out/$name"
		;;
	esac
	case $system in linux/*) debian "${system#*/}" "$out/$name/assay" "$version" ;; esac
	archive "$name"
	rm -r "${out:?}/$name"
done
(cd "$out" && sha256sum -- * >SHA256SUMS)
