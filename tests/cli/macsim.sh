#!/usr/bin/env bash
# MacSim traces on the command line: what `trace info` and `trace dump` say of every way to name a trace, --format, thousands of
# warps with few descriptors, refusals, and that the tables of numbers are the specification's.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

write() { "$BUILD/tests/tools/macsim_write" "$@" || not_ok "macsim_write $*"; }
# file NAME TEXT: a file of that text, with printf's escapes
file() {
    mkdir -p "$(dirname "$WORK/$1")"
    # shellcheck disable=SC2059
    printf -- "$2" >"$WORK/$1"
}
# says NAME PATTERN COMMAND...: ok if the command succeeds, warns of nothing and prints a line that matches
says() {
    local name=$1 pattern=$2
    shift 2
    if "$@" >"$WORK/out" 2>"$WORK/err" && [ ! -s "$WORK/err" ] && grep -qE -- "$pattern" "$WORK/out"; then
        ok "$name"
    else
        not_ok "$name: no line like $pattern"
        head -n 3 "$WORK/err"
        head -n 30 "$WORK/out"
    fi
}
# warns NAME PATTERN COMMAND...: ok if the command succeeds, with such a warning
warns() {
    local name=$1 pattern=$2
    shift 2
    if "$@" >"$WORK/out" 2>"$WORK/err" && grep -qE "^rubato: warning: .*$pattern" "$WORK/err"; then ok "$name"
    else not_ok "$name"; head -n 3 "$WORK/err"; fi
}
info() { "$RUBATO" trace info "$@"; }

# --- tables
awk -F '\t' 'NR == 5 { held = $0; next } { print } NR == 6 { print held }' docs/spec/macsim-enums.tsv >"$WORK/swapped.tsv"
if proto/macsim/tables.sh "$WORK/swapped.tsv" >/dev/null 2>"$WORK/err" || ! grep -q 'out of order' "$WORK/err"; then
    not_ok 'tables of numbers in disorder are refused'
else
    ok 'tables of numbers in disorder are refused'
fi

# --- threads
file x86/sort.txt 'x86 1.3\n4\n0 0\n1 100\n2 200\n3 250'
write C80/x86-pin313 50 gzip "$WORK/x86/sort" 0 1
write C80/x86-pin313 30 plain "$WORK/x86/sort" 2 3
says 'threads, start counts, records' '^ +3 +starts at +250 +180 records$' info "$WORK/x86/sort.txt"
says 'layout by the header' '^  recognised by +the header says x86 1\.3; 100\.0 % of 819 records fit' info "$WORK/x86"
says 'evidence: layouts' '^    C80 +819 +100\.0 % +[0-9.]+ %' info "$WORK/x86"
says 'evidence: layouts that do not fit' '^    A80 .* is [0-9]+, expected ' info "$WORK/x86"
says 'evidence: opcode tables' '^    x86-pin313 +[0-9]+ +0$' info "$WORK/x86"
says 'opcodes by name' '^ +27 COND_BR +160 +16\.7 %$' info "$WORK/x86"
says 'a stream by itself, with its header' '^    1 +starts at +100 +300 records$' info "$WORK/x86/sort_1.raw"
says 'as JSON' '"stores": 160,$' info --json "$WORK/x86"
says 'dump' '^2 0x401004 3 BINARY di ch$' "$RUBATO" trace dump "$WORK/x86"
says 'dump: a branch' '^0 0x40100b 2 COND_BR - .* CBR taken 0x401000$' "$RUBATO" trace dump "$WORK/x86"
says 'dump as JSON' '"thread": 3, "pc": 4198408, .*"load_addresses": \[268447744, 0\], "bytes_read": 8, ' \
    "$RUBATO" trace dump --json "$WORK/x86"
"$RUBATO" trace dump --records 5:7 "$WORK/x86" | grep -v '^#' >"$WORK/out"
check 'dump of a range' [ "$(wc -l <"$WORK/out")" = 2 ]
if python=$(command -v python3); then
    check 'dumped JSON can be read' "$python" -c '
import json, subprocess, sys
for line in subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
    json.loads(line)' "$RUBATO" trace dump --json "$WORK/x86"
else
    skip 'dumped JSON can be read: no python3'
fi

# --- layouts without a header, and --format
for format in C52/x86-2012a C80/x86-pin212 C88/x86-pin37 A80/a64 C464/x86-amx2 G64/ptx-v131 G72/ptx-v14 N64/nvbit; do
    mkdir -p "$WORK/bare/${format%/*}"
    write "$format" 40 gzip "$WORK/bare/${format%/*}/t" 0
    says "recognised by the bytes: $format" "^  recognised by +fits best; 100\.0 %" info "$WORK/bare/${format%/*}"
    check "$format" grep -qE "^  layout +${format%/*}," "$WORK/out"
    check "opcodes of $format" grep -qE "^  opcodes +${format#*/}$" "$WORK/out"
    access='(DATAXFER|LDR) [a-z0-9]+ [a-z0-9]+ load 1 x 8 0x10000000' json='"load_addresses": \[268435456, 0\], "bytes_read": 8'
    case $format in
        G*) access='MEM_LD_GM r8 r7 load GLOBAL 4 0:0x10000000 1:0x10000004 ' json='"lanes": \[268435456, 268435460, ' ;;
        N64*) access='LDG r8 r7 load GLOBAL 4 0x10000000' json='"address": 268435456, "children": \[\]' ;;
    esac
    says "dump of $format" "$access" "$RUBATO" trace dump "$WORK/bare/${format%/*}"
    says "dump of $format as JSON" "$json" "$RUBATO" trace dump --json "$WORK/bare/${format%/*}"
    [ -z "$python" ] || check "which can be read: $format" "$python" -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$WORK/out"
done
warns '--format of the wrong table' 'control-flow type is 16, expected 0 to 9 \(G72\)' info --format g72/ptx-v131 "$WORK/bare/G72"
check '--format is why' grep -qE '^  recognised by +set by --format; [0-9]{2}\.[0-9] %' "$WORK/out"
refused '--format that the records do not fit' \
    't_0\.raw: 0 of [0-9]+ records fit --format C88 .*; expected at least half; 240 of 240 fit C80: give that' \
    "$RUBATO" trace info --format C88 "$WORK/bare/C80"
says '--format of a table' '^  layout +C80,' info --format x86-pin212 "$WORK/bare/C80"
mkdir "$WORK/flags"
write C80/x86-pin313 40 plain "$WORK/flags/t" 0
for ((record = 0; record < 240; record++)); do
    printf '\044' | dd of="$WORK/flags/t_0.raw" bs=1 seek=$((80 * record + 22)) conv=notrunc status=none
done
refused 'flags of garbage' 't_0\.raw: C80 fits but for flags .*first: writes flags is 36, expected 0 to 1.*--format C80 takes' \
    "$RUBATO" trace info "$WORK/flags"
warns 'flags of garbage, with --format' '240 such records of 240, read as they stand' info --format C80 "$WORK/flags"
refused '--format of no layout' 'expected a layout \(C52, C80' "$RUBATO" trace info --format C81 "$WORK/bare/C80"
refused '--format of two that do not go together' 'records of N64 have no opcodes of a64' \
    "$RUBATO" trace info --format N64/a64 "$WORK/bare/N64"

# --- kernels
for kernel in 0 1; do
    file "ptx/k_$kernel/Trace.txt" 'newptx\n14\n6\n4\n0 0\n1 0\n65536 0\n65537 0\n'
    write G72/ptx-v14 $((10 + kernel)) gzip "$WORK/ptx/k_$kernel/Trace" 0 1 65536 65537
done
file ptx/kernel_config.txt 'newptx\n14\n-1\n/machine/that/made/it/k_0/Trace.txt\n/machine/that/made/it/k_1/Trace.txt\n'
says 'a list of kernels: paths of another machine' '^kernel 2 +.*/ptx/k_1/Trace\.txt$' info "$WORK/ptx/kernel_config.txt"
says 'warps and blocks' '^  warps +4 in 2 blocks, 2 in the first; at most 6 blocks on a core$' info "$WORK/ptx"
says 'lanes' '^  lane addresses +2816$' info "$WORK/ptx"
says 'dump of a warp' '^1 1 0x1f48 ffffffff MEM_LD_GM r8 r7 load GLOBAL 4 0:0x[0-9a-f]+ 1:0x' "$RUBATO" trace dump "$WORK/ptx"
says 'dump of a warp as JSON' '"block": 1, "warp": 1, "pc": 8008, .*"lanes": \[[0-9]+, ' "$RUBATO" trace dump --json "$WORK/ptx"
file trace_file_list "2\n$WORK/x86/sort.txt\nptx/kernel_config.txt\n"
says 'a list of traces' '^  kind +MacSim trace, 2 applications$' info "$WORK/trace_file_list"

# --- more than one header in a folder, and what no header names
cp "$WORK"/x86/* "$WORK/bare/C80/"
file bare/C80/other.txt '1 x86 0 0'
write C80/x86-pin212 5 plain "$WORK/bare/C80/other" 0
warns 'streams that no header names' 'holds 6 streams, of which its headers name 5; the others are left out' info "$WORK/bare/C80"
check 'two headers in a folder' grep -q 'MacSim trace, 2 applications$' "$WORK/out"

# --- thousands of warps
warps=$(seq 0 65536 6291455 | while read -r block; do seq "$block" $((block + 63)); done)
check '6144 warps' [ "$(echo "$warps" | wc -l)" = 6144 ]
mkdir "$WORK/many"
{ printf 'nvbit\n14\n16\n6144\n'; echo "$warps" | sed 's/$/ 0/'; } >"$WORK/many/trace.txt"
# shellcheck disable=SC2086
write N64/nvbit 3 gzip "$WORK/many/trace" $warps
limited() { (ulimit -n 64 && "$@"); }
says '6144 warps, 64 descriptors: info' '^  instructions +98304$' limited "$RUBATO" trace info "$WORK/many"
limited "$RUBATO" trace dump "$WORK/many" | grep -vc '^#' >"$WORK/out"
check '6144 warps, 64 descriptors: dump' [ "$(cat "$WORK/out")" = 98304 ]

# --- errors
bad=$WORK/bad
mkdir "$bad"
file bad/t.txt 'x86 1.3\n3\n0 0\n1 0\n2 0\n'
write C80/x86-pin313 50 gzip "$bad/t" 0 2
refused 'more threads than files' 't\.txt: the header promises 3 threads, but the streams of 1 are not there, first t_1\.raw' \
    "$RUBATO" trace info "$bad"
refused 'the same, dumped' 'promises 3 threads' "$RUBATO" trace dump "$bad/t.txt"
file bad/t.txt 'x86 1.3\n3\n0 0\n2 0\n'
refused 'more threads than pairs' 'promises 3 threads, but 2 pairs of id and start follow' "$RUBATO" trace info "$bad"
file bad/t.txt 'x86 1.3\n3\n0 0\n2 0\n0 9\n'
refused 'a thread twice' 't\.txt: thread 0 occurs twice' "$RUBATO" trace info "$bad"
file bad/t.txt 'x86 1.3\n2\n0 0\n2 0\n'
truncate -s -20 "$bad/t_2.raw"
refused 'gzip data that break off' 't_2\.raw: byte [0-9]+: the gzip data breaks off' "$RUBATO" trace info "$bad"
write C80/x86-pin313 50 plain "$bad/t" 2
truncate -s -20 "$bad/t_2.raw"
warns 'an incomplete last record' 't_2\.raw: byte 23920: the last 60 bytes are no whole instruction' info "$bad"
head -c 3000 /dev/zero | tr '\0' '\377' >"$bad/t_0.raw"
cp "$bad/t_0.raw" "$bad/t_2.raw"
refused 'records of no layout' 't_0\.raw: no record layout fits: the best, .* fits 0\.0 % of .*; expected at least 90 %' \
    "$RUBATO" trace info "$bad"
printf 'short' >"$bad/lone_0.raw"
refused 'a stream too short for a record' 'lone_0\.raw: 5 bytes are too few' "$RUBATO" trace info "$bad/lone_0.raw"
file bad/kernel_config.txt 'newptx\n14\n-1\n/nowhere/k_9/Trace.txt\n'
refused 'a kernel that is not there' 'kernel_config\.txt: names /nowhere/k_9/Trace\.txt, which is not there' \
    "$RUBATO" trace info "$bad/kernel_config.txt"
file bad/loop.txt "1\n$bad/loop.txt\n"
refused 'a list that names itself' 'names .*loop\.txt, which is a list of traces itself' "$RUBATO" trace info "$bad/loop.txt"
refused '--gem5 of a MacSim trace' '--gem5 is for elastic traces, and .* is a MacSim trace' \
    "$RUBATO" trace dump --gem5 "$WORK/x86"
mkdir "$bad/empty"
refused 'a folder without a trace' 'empty' "$RUBATO" trace info "$bad/empty"
refused 'a folder without a trace, with a format' 'holds no MacSim trace; expected a header' \
    "$RUBATO" trace info --format C80 "$bad/empty"
exit $failures
