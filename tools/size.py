"""What a Go program of this tree is made of: the code of each module, from
`go tool nm -size PROGRAM` on standard input."""

import collections
import re
import sys

CODE = "tT"


def home(symbol):
    """The module, or the part of this tree or of Go's own library, that a symbol is from."""
    path = re.sub(r"\[.*", "", symbol)  # type arguments name other packages
    folder, _, name = path.rpartition("/")
    parts = [p for p in folder.split("/") if p] + [name.split(".")[0]]
    if parts[0] in ("assay", "main"):
        return "assay"
    if "." in parts[0]:
        return "/".join(parts[:3])
    return "Go's own library"


def main():
    sizes = collections.Counter()
    for line in sys.stdin:
        fields = line.split(None, 3)
        if len(fields) == 4 and fields[2] in CODE:
            sizes[home(fields[3])] += int(fields[1])
    whole = sum(sizes.values())
    print("code: %.1f MB" % (whole / 1e6))
    for name, size in sizes.most_common(25):
        print("  %5.2f MB  %4.1f %%  %s" % (size / 1e6, 100 * size / whole, name))


main()
