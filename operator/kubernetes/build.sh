#!/bin/sh
# Builds the servers of a small Kubernetes cluster, its kubelet, Helm and KWOK from the
# modules that servers/go.mod pins, once, into a cache outside of the tree: some 20 CPU
# minutes the first time, and nothing after that. Prints the folder that holds them.
#
# Kueue 0.19 needs a module (sigs.k8s.io/scheduler-library) that Go's checksum database does
# not know, and is left until it does.
#
#   build.sh            builds what is missing, all of it
#   build.sh --folder   only says where they are, or would be
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pins=$(cat "$here/servers/go.mod" "$here/servers/go.sum" | sha256sum | cut -c1-12)
out=${XDG_CACHE_HOME:-$HOME/.cache}/assay/cluster-$pins
if [ "${1:-}" = --folder ]; then echo "$out"; exit; fi

mkdir -p "$out"
exec 9>"$out/lock"
flock 9 # two that build at once would take twice as long
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -mod=readonly"
kubernetes=$(cd "$here/servers" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
version="-X k8s.io/component-base/version.gitVersion=$kubernetes -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(echo "$kubernetes" | cut -d. -f2)"

# An interrupted link must not leave half a server behind, nor keep the next one from its
# place: Go overwrites nothing that is no program.
build() {
	[ ! -x "$out/$1" ] || return 0
	echo "building $1" >&2
	rm -f "$out/.$1"
	(cd "$here/servers" && go build -trimpath -ldflags "-s -w $version" -o "$out/.$1" "$2")
	mv "$out/.$1" "$out/$1"
}
build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build jobset sigs.k8s.io/jobset
build kueue sigs.k8s.io/kueue/cmd/kueue
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
build kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
build kubectl k8s.io/kubernetes/cmd/kubectl
build kubelet k8s.io/kubernetes/cmd/kubelet
build helm helm.sh/helm/v4/cmd/helm
build kwok sigs.k8s.io/kwok/cmd/kwok

# What these servers are set up with comes with their modules, which are not there where
# this cache was kept and Go's was not.
for module in sigs.k8s.io/jobset sigs.k8s.io/kueue; do
	(cd "$here/servers" && go mod download "$module")
	folder=$(cd "$here/servers" && go list -m -f '{{.Dir}}' "$module")
	ln -sfn "$folder" "$out/$(basename "$module").module"
done
echo "$out"
