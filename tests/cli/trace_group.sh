#!/usr/bin/env bash
# rubato trace group: the reference's grouped files byte for byte, packings, memory, bad input, full disks.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

unpacked() {    # FILE
    case $1 in *.xz) xz -dc "$1" ;; *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac
}

same_text() {    # FILE FILE: after decompression
    cmp <(unpacked "$1") <(unpacked "$2")
}

# Whichever of NAME, NAME.xz, NAME.gz is there.
packed() {
    local file
    for file in "$1" "$1.xz" "$1.gz"; do
        [ ! -e "$file" ] || { echo "$file" && return; }
    done
}

# groups NAME FOLDER: equal to every file of FOLDER/grouped
groups() {
    local name=$1 folder=$2 file ours count=0
    "$RUBATO" trace group "$folder" -o "$WORK/$name" --quiet 2>"$WORK/err" || { not_ok "$name: grouped"; cat "$WORK/err"; return; }
    for file in "$folder"/grouped/*; do
        ours=$(packed "$WORK/$name/$(basename "$file" .xz)")
        [ -n "$ours" ] && same_text "$file" "$ours" || { not_ok "$name: $(basename "$file")"; return; }
        count=$((count + 1))
    done
    check "$name: $count files as the reference wrote them" test "$(find "$WORK/$name" -type f | wc -l)" = "$count"
}

# --- the reference's files
groups bundled tests/traces/gpu-raw
found=0
for grouped in "$SHARED"/traces/gpu/*/grouped; do
    [ -d "$grouped" ] || continue
    groups "$(basename "$(dirname "$grouped")")" "$(dirname "$grouped")"
    found=$((found + 1))
done
[ "$found" -gt 0 ] || skip 'sets with grouped files: there is no ../shared/traces/gpu'

# --- packings and names
check '.xz stays .xz' test -f "$WORK/bundled/kernel-1-ctx_0x189ec30.traceg.xz"
check 'xz -t takes it' xz -t "$WORK/bundled/kernel-1-ctx_0x189ec30.traceg.xz"
check 'plain files stay plain' test -f "$WORK/bundled/kernel-266.traceg"
mkdir "$WORK/gz"
gzip -c tests/traces/gpu-raw/kernel-266.trace >"$WORK/gz/kernel-266.trace.gz"
printf 'MemcpyHtoD,0x10,20\r\n\r\nkernel-266.trace  \r\ncudaMalloc,1' >"$WORK/gz/kernelslist_ctx_0x1"
"$RUBATO" trace group "$WORK/gz" -o "$WORK/gz" >"$WORK/out" 2>"$WORK/err"
check '.gz stays .gz' gzip -t "$WORK/gz/kernel-266.traceg.gz"
check 'the same from .gz' same_text "$WORK/gz/kernel-266.traceg.gz" tests/traces/gpu-raw/grouped/kernel-266.traceg
check "a context's list, with odd ends of lines" cmp "$WORK/gz/kernelslist_ctx_0x1.g" <(printf 'MemcpyHtoD,0x10,20\nkernel-266.traceg\n')
check 'other lines are reported and left out' grep -q 'warning: .*line 4: "cudaMalloc,1" is neither' "$WORK/err"
check 'the summary' grep -qx '.*kernelslist_ctx_0x1.g: 1 kernel, 4 thread blocks, 4 warps, 216 warp instructions' "$WORK/out"
(cd tests/traces/gpu-raw && "$RUBATO" trace group kernelslist -o "$WORK/named" --quiet 2>/dev/null)
check 'a list by its name' diff -r "$WORK/named" "$WORK/bundled"

# --- memory, and files in many runs: every line of the set 40 times
measure=$BUILD/tests/tools/measure
set=$SHARED/traces/gpu/turing-lineinfo-raw
if [ ! -x "$measure" ]; then
    skip "memory (2): there is no $measure"
else
    if [ -d "$set" ]; then
        "$measure" "$WORK/cost" "$RUBATO" trace group "$set" -o "$WORK/cost.out" --quiet
        read -r _ _ resident _ <"$WORK/cost"
        check "turing-lineinfo-raw: $resident KiB, below 32 MiB" test "$resident" -lt 32768
    else
        skip 'memory of turing-lineinfo-raw: it is not there'
    fi
    mkdir "$WORK/large"
    echo kernel-1.trace >"$WORK/large/kernelslist"
    unpacked tests/traces/gpu-raw/kernel-1-ctx_0x189ec30.trace.xz >"$WORK/one"
    { grep '^[-#]' "$WORK/one" && for _ in {1..400}; do grep '^[0-9]' "$WORK/one"; done; } >"$WORK/large/kernel-1.trace"
    "$measure" "$WORK/cost" "$RUBATO" trace group "$WORK/large" -o "$WORK/large" --quiet 2>/dev/null
    read -r _ _ resident _ <"$WORK/cost"
    check "$(($(stat -c %s "$WORK/large/kernel-1.trace") >> 20)) MiB of lines: $resident KiB, below 32 MiB" test "$resident" -lt 32768
    check 'all of them' test "$(grep -c '^0 00' "$WORK/large/kernel-1.traceg")" = "$(grep -c '^[0-9]' "$WORK/large/kernel-1.trace")"
    rm -r "$WORK/large"
fi

# --- bad input
list() {    # LINES: a list of them in a folder of its own
    rm -rf "$WORK/bad" "$WORK/x"
    mkdir "$WORK/bad"
    printf '%s\n' "$@" >"$WORK/bad/kernelslist"
    cp tests/traces/gpu-raw/kernel-266.trace "$WORK/bad"
}
refused 'no list named' 'no list was given' "$RUBATO" trace group -o "$WORK/x"
refused 'no output' 'add -o DIR' "$RUBATO" trace group tests/traces/gpu-raw
refused 'no such list' 'cannot be opened' "$RUBATO" trace group "$WORK/nowhere" -o "$WORK/x"
refused 'a folder without a list' 'holds no list of raw GPU traces' "$RUBATO" trace group tests/traces/gups -o "$WORK/x"
refused 'a trace for a list' 'expected the list that names it' "$RUBATO" trace group tests/traces/gpu-raw/kernel-266.trace -o "$WORK/x"
list kernel-266.traceg
refused 'a grouped list' 'line 1: "kernel-266.traceg" is grouped already' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
list '' kernel-7.trace
refused 'a missing kernel' 'kernelslist: line 2: there is no .*kernel-7.trace' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
list kernel/../../kernel-266.trace
refused 'a kernel elsewhere' 'expected a file beside the list' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
list 'MemcpyHtoD,0x10,20'
refused 'no kernel' 'names no kernel' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
list kernel-266.trace kernel-2.trace
echo '0 0 0 0' | cat tests/traces/gpu-raw/kernel-266.trace - <(echo '0 0 zero') >"$WORK/bad/kernel-2.trace"
"$RUBATO" trace group "$WORK/bad" -o "$WORK/x" >/dev/null 2>"$WORK/err"
check 'a bad line: exit code 2' test $? = 2
check 'a bad line is named' grep -q 'kernel-2.trace: line 233: found "zero" where z of the thread block' "$WORK/err"
check 'a bad line leaves no list' test -z "$(find "$WORK/x" -name 'kernelslist*' -o -name "kernel-2.*")"
list kernel-266.trace
: >"$WORK/bad/kernel-266.trace"
refused 'an empty kernel' 'kernel-266.trace: is empty' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
check 'a folder made in vain goes' test ! -e "$WORK/x"
list kernel-1.trace
head -c 3000 tests/traces/gpu-raw/kernel-1-ctx_0x189ec30.trace.xz >"$WORK/bad/kernel-1.trace.xz"
refused 'a broken-off .xz' 'kernel-1.trace.xz: ' "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
refused 'an output that cannot be' 'cannot be created' "$RUBATO" trace group tests/traces/gpu-raw -o "$WORK/nowhere/x"
TMPDIR=$WORK/nowhere refused 'no folder for temporary files' 'TMPDIR' "$RUBATO" trace group tests/traces/gpu-raw -o "$WORK/x"

# --- full disks, as far as a limit of the file's size is one: of the temporary file, and of the output
list kernel-266.trace kernel-1.trace.xz
cp tests/traces/gpu-raw/kernel-1-ctx_0x189ec30.trace.xz "$WORK/bad/kernel-1.trace.xz"
full() {    # KIB
    (
        trap '' XFSZ
        ulimit -f "$1"
        "$RUBATO" trace group "$WORK/bad" -o "$WORK/x"
    ) >"$WORK/out" 2>"$WORK/err"
}
full 30
check 'a full disk for temporary files is one line' test "$(grep -c 'rubato: .*kernel-1.trace.xz: the temporary file .*TMPDIR' "$WORK/err")" = 1
check 'it leaves whole files' same_text "$WORK/x/kernel-266.traceg" tests/traces/gpu-raw/grouped/kernel-266.traceg
check 'and nothing else' test "$(find "$WORK/x" -type f | wc -l)" = 1
mkdir "$WORK/gz2"
cp tests/traces/gpu-raw/kernel-266.trace "$WORK/gz2"
echo kernel-266.trace >"$WORK/gz2/kernelslist"
ln -s /dev/full "$WORK/gz2/kernel-266.traceg"
refused 'a full disk for the output' 'kernel-266.traceg: cannot be written: No space' "$RUBATO" trace group "$WORK/gz2" -o "$WORK/gz2"
xz -c tests/traces/gpu-raw/kernel-266.trace >"$WORK/gz2/kernel-266.trace.xz"
rm "$WORK/gz2/kernel-266.trace"
ln -s /dev/full "$WORK/gz2/kernel-266.traceg.xz"
refused 'a full disk for an .xz output' 'kernel-266.traceg.xz: cannot be written: No space' "$RUBATO" trace group "$WORK/gz2" -o "$WORK/gz2"
check 'a full disk leaves no list' test ! -e "$WORK/gz2/kernelslist.g"

# --- killed: no list, or a whole set
for delay in 0.01 0.02 0.04; do
    rm -rf "$WORK/killed"
    { timeout -s KILL "$delay" "$RUBATO" trace group tests/traces/gpu-raw -o "$WORK/killed"; } >/dev/null 2>&1
    check "killed after $delay s: no list, or all is there" eval \
        '[ ! -e "$WORK/killed/kernelslist.g" ] || diff -r "$WORK/killed" "$WORK/bundled"'
done
exit "$failures"
