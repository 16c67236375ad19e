#!/usr/bin/env bash
# The bundled reference data: every file has the content that it had when it was packed, none is missing or more, and the whole, where it is there,
# has the same.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
tests/reference/unpack.sh
bundled=build/reference

content() {    # FILE: unpacked, if the archive has it unpacked
    case $1 in
        */traces/insn/* | */traces/field/* | *.tar.?z) cat "$1" ;;
        *.gz) gzip -dc "$1" ;;
        *.xz) xz -dc "$1" ;;
        *) cat "$1" ;;
    esac
}
sums_of() {    # FOLDER: path and SHA-256 of the files of part
    cut -f 1 "$bundled/part" | while read -r file; do
        printf '%s\t%s\n' "$file" "$(content "$1/$file" 2>/dev/null | sha256sum | cut -d ' ' -f 1)"
    done
}
sums_of "$bundled" >"$WORK/bundled"
check "$(wc -l <"$bundled/part") bundled files are as they were packed" diff <(cut -f 1,3 "$bundled/part") "$WORK/bundled"
check 'no other file is bundled' diff <(cut -f 1 "$bundled/part") <(cd "$bundled" && find oracle spec traces -type f | LC_ALL=C sort)
check 'runs of each kind' test "$(cut -f 1 "$bundled/part" | grep -c '^oracle/elastic/.*/case.json$')" -ge 24
check 'at least 60 runs of command-level DRAM' test "$(cut -f 1 "$bundled/part" | grep -c '^oracle/command-dram/.*/case.json$')" -ge 60
check 'those take at most 3 MB' test "$(wc -c <tests/reference/data/command.tar.xz)" -le 3000000
check 'all others take at most 20 MB, with the model' test \
    "$(cat tests/reference/data/[!c]* tests/refmodel/*.* | wc -c)" -le 20000000
if is_whole_reference; then
    sums_of "$SHARED" >"$WORK/whole"
    check 'the whole reference data have the same' diff "$WORK/bundled" "$WORK/whole"
    check 'and the same sizes' test -z "$(while IFS=$'\t' read -r file bytes _; do
        [ "$(stat -c %s "$SHARED/$file")" = "$bytes" ] || echo "$file"; done <"$bundled/part")"
else
    skip 'bundled files against the whole reference data (2): no reference data'
fi
exit $failures
