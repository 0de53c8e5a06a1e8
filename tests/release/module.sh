#!/bin/sh
# Gives the module the path $1, here and in every import.
#
#   make module TO=example.org/team/assay
set -eu
new=${1:?want the new path of the module, such as example.org/team/assay}
old=$(sed -n 's/^module //p' go.mod)
go mod edit -module "$new"
# Only lines that hold nothing but an import: other texts may begin like the old path.
git ls-files -z '*.go' | xargs -0 sed -i -E "s#^(\t|import )([A-Za-z_.]+ )?\"$old/([^\"]*)\"\$#\1\2\"$new/\3\"#"
for nested in tools tests/crd operator; do
	(cd "$nested" && go mod edit -module "$new/$nested")
done
# nested MODULE ROOT: those that import ours find it in the tree.
nested() {
	(cd "$1" && go mod edit -droprequire "$old" -dropreplace "$old" -require "$new@v0.0.0" -replace "$new=$2")
}
nested tests/crd ../..
nested operator ..
git ls-files -z '*.go' | xargs -0 gofmt -w
echo "the module is $new; run make test"
