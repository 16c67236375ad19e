#!/usr/bin/env bash
# The files at the top that tools read, and those for people who come by: CITATION.cff is YAML with what its format demands, and agrees
# with LICENSE and the command; CHANGELOG.md begins with the command's version; goals of make that documents name exist.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

version=$("$RUBATO" --version | sed -nE '1s/^rubato ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p')
check 'the command has a semantic version' [ -n "$version" ]
check "CHANGELOG.md: its first version is the command's" [ "$(sed -nE 's/^## ([0-9.]+).*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ]
check 'CHANGELOG.md: versions fall' eval "sed -nE 's/^## ([0-9.]+).*/\1/p' CHANGELOG.md | sort -c -r -V"
check "CITATION.cff: the command's version" grep -qxF "version: $version" CITATION.cff
check "CITATION.cff: the authors are LICENSE's" grep -qxF "  - name: $(sed -n 's/^Copyright (c) [0-9]* //p' LICENSE)" CITATION.cff
check "CITATION.cff: the licence is LICENSE's" eval "grep -qx 'license: MIT' CITATION.cff && head -n 1 LICENSE | grep -q MIT"

# The schema of the format demands these; https://github.com/citation-file-format, version 1.2.0.
cat >"$WORK/check.py" <<'END'
import sys, yaml
cff = yaml.safe_load(open("CITATION.cff"))
text = ("cff-version", "message", "title", "version", "license", "abstract")
known = text + ("type", "authors", "keywords", "date-released", "url", "repository-code", "doi")
faults = [key for key in text if not isinstance(cff.get(key), str)] + [key for key in cff if key not in known]
faults += ["cff-version"] if cff["cff-version"] != "1.2.0" else []
faults += ["type"] if cff.get("type", "software") not in ("software", "dataset") else []
faults += ["authors"] if not cff.get("authors") or not all("name" in a or "family-names" in a for a in cff["authors"]) else []
faults += ["keywords"] if not all(isinstance(word, str) for word in cff.get("keywords", [])) else []
sys.exit(", ".join(faults) or 0)
END
python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import yaml' 2>/dev/null || python=$candidate
done
if [ -n "$python" ]; then
    check 'CITATION.cff: YAML, with the required keys of its format and no unknown ones' "$python" "$WORK/check.py"
else
    skip 'CITATION.cff as YAML: Python has no yaml'
fi

goals=$(sed -nE 's/^#: make ([a-z-]+) .*/\1/p' Makefile)
unknown=$(for file in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md tests/README.md; do
    grep -oE '(`|^    |&& )([A-Z_]+=[^ ]+ )?make [a-z][a-z-]+' "$file" | sed 's/.*make //' | sort -u | while IFS= read -r goal; do
        printf '%s\n' "$goals" all clean help uninstall | grep -qx -- "$goal" || echo "$file: make $goal"
    done
done)
check "goals that documents name are in make help" [ -z "$unknown" ]
[ -z "$unknown" ] || printf '    %s\n' "$unknown"
