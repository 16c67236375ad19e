#!/usr/bin/env bash
# Counts of the readers in instruction traces: bundled files, those of the reference data, and that a wrong count
# fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh

# counted NAME EXIT_CODE LAST_LINE FOLDER
counted() {
    "$INSN_COUNTS" "$4" >"$WORK/out" 2>"$WORK/messages"
    local got=$?
    if [ "$got" = "$2" ] && [ "$(tail -n 1 "$WORK/out")" = "$3" ]; then ok "$1"
    else not_ok "$1: exit code $got, $(tail -n 1 "$WORK/out")"; grep FAILED "$WORK/out" | head -n 20; fi
}

counted 'bundled files' 0 '4 passed, 0 failed' tests/traces/insn
cp -r tests/traces/insn "$WORK/wrong"
sed -i 's/	1156	/	1157	/' "$WORK/wrong/expected.tsv"
truncate -s 1000 "$WORK/wrong/drmemtrace/drmemtrace.allasm_x86_64.trace.zip"
counted 'a wrong count, a file that is cut' 1 '2 passed, 2 failed' "$WORK/wrong"
check 'a wrong count is named' grep -q '	loads 1156 1157$' "$WORK/out"
mkdir "$WORK/none"
counted 'no expected.tsv' 2 '' "$WORK/none"

# ---- the command
"$RUBATO" trace info tests/traces/insn/drmemtrace/drmemtrace.small.x64.trace >"$WORK/info"
check 'trace info' grep -q '^  instructions  173, ' "$WORK/info"
"$RUBATO" trace info tests/traces/insn/drmemtrace >"$WORK/info"
check 'trace info of a folder: files, and missing facts' test \
    "$(grep -cE '^  files +3$|^  instructions +1694,|^  lacks +dependences' "$WORK/info")" = 3
"$RUBATO" trace dump tests/traces/insn/lackey/exact.lackey.txt >"$WORK/dump"
check 'trace dump: a line an instruction' test "$(grep -vc '^#' "$WORK/dump")" = 497
"$RUBATO" trace dump --records 100:103 tests/traces/insn/drmemtrace >"$WORK/dump"
check 'trace dump of a range' test "$(grep -vc '^#' "$WORK/dump")" = 3

# packed FOLDER TO: its files as .rbt, which has the same counts, but for records, encodings and markers of its own
packed() {
    local file
    mkdir -p "$2"
    awk -F '\t' -v OFS='\t' '/^#/ { next }
        !names { for (i = 1; i <= NF; i++) name[i] = $i; names = 1; print; next }
        { gsub("/", "_", $1); $1 = $1 ".rbt"; $2 = "rbt"
          for (i = 3; i <= NF; i++) if (name[i] ~ /^(records|encodings|markers)$/) $i = "-"
          print }' "$1/expected.tsv" >"$2/expected.tsv"
    grep -v '^#' "$1/expected.tsv" | tail -n +2 | cut -f 1 | while read -r file; do
        "$RUBATO" trace pack "$1/$file" -o "$2/${file//\//_}.rbt" --quiet
    done
}

packed tests/traces/insn "$WORK/packed"
counted 'bundled files as .rbt' 0 '4 passed, 0 failed' "$WORK/packed"

for set in insn o3; do
    if [ -f "$SHARED/traces/$set/expected.tsv" ]; then
        packed "$SHARED/traces/$set" "$WORK/packed-$set"
        for folder in "$SHARED/traces/$set" "$WORK/packed-$set"; do
            "$INSN_COUNTS" "$folder" >"$WORK/out"
            grep FAILED "$WORK/out"
            tail -n 1 "$WORK/out"
        done
    else
        skip "instruction traces of the reference data: $SHARED/traces/$set is not there"
    fi
done
exit $failures
