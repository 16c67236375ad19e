#!/usr/bin/env bash
# Whatever is wrong with the files, the system or the outputs: one clear line, exit code 2, no crash, no hang.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
. tests/support/protobuf.sh

system=configs/default.yaml
good=$WORK/good
mkdir "$good"

# A small sound trace to spoil: six records, windows of two, and three fetches.
load() { message "$(field 1 "$1" 2 1 3 "$2" 4 8 5 0 7 500 10 4096)"; }
fetch() { message "$(field 1 "$1" 2 1 3 "$2" 4 64 5 256 7 4096)"; }
records="$(load 10 65536)$(load 11 65600)$(load 12 65664)$(load 13 65728)$(load 14 65792)$(load 15 65856)"
fetches="$(fetch 0 4096)$(fetch 500 4160)$(fetch 1500 4224)"
write "$good/deptrace.proto" "$MAGIC" "$(data_header 2)" "$records"
write "$good/fetchtrace.proto" "$MAGIC" "$(fetch_header)" "$fetches"

replay() { "$RUBATO" replay "$system" --data "$1" --fetch "$2" "${@:3}"; }
data_file() {    # BYTES...: a data trace of them
    write "$WORK/data.proto" "$@"
    echo "$WORK/data.proto"
}
fetch_file() {
    write "$WORK/fetch.proto" "$@"
    echo "$WORK/fetch.proto"
}
refused_data() { refused "$1" "$2" "$RUBATO" replay "$system" --data "$3" --fetch "$good/fetchtrace.proto"; }
refused_fetch() { refused "$1" "$2" "$RUBATO" replay "$system" --data "$good/deptrace.proto" --fetch "$3"; }

check 'the sound trace' replay "$good/deptrace.proto" "$good/fetchtrace.proto" >"$WORK/log" 2>&1 || cat "$WORK/log"

# --- not the right file
: >"$WORK/empty"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 5159445\n' 0 >"$WORK/pointer"
refused_data 'empty data trace' 'empty' "$WORK/empty"
refused_fetch 'empty fetch trace' 'empty' "$WORK/empty"
refused_data 'Git LFS pointer' 'git lfs pull|Git LFS' "$WORK/pointer"
refused_fetch 'Git LFS pointer as fetch trace' 'git lfs pull|Git LFS' "$WORK/pointer"
refused_data 'wrong magic' 'magic' "$(data_file 'gem6' "$(data_header 2)" "$records")"
refused_data 'magic cut short' 'only 2 bytes' "$(data_file 'ge')"
refused_data 'text' 'magic' LICENSE
refused 'swapped files' 'swap|fetch' "$RUBATO" replay "$system" --data "$good/fetchtrace.proto" --fetch "$good/deptrace.proto"
refused_data 'no such file' 'No such file' "$WORK/nowhere"
refused_data 'a folder as file' 'folder|directory' "$WORK"
mkdir "$WORK/bare"
refused 'folder without traces' 'deptrace' "$RUBATO" replay "$system" "$WORK/bare"
cp "$good/deptrace.proto" "$WORK/bare"
refused 'folder without fetch trace' 'fetchtrace' "$RUBATO" replay "$system" "$WORK/bare"
refused 'no such folder' 'nowhere: .*folder' "$RUBATO" replay "$system" "$WORK/nowhere"

# --- damaged
head -c 100000 tests/traces/triad/deptrace.proto.gz >"$WORK/cut.gz"
refused 'truncated gzip' 'truncated|ends' "$RUBATO" replay "$system" --data "$WORK/cut.gz" \
    --fetch tests/traces/triad/fetchtrace.proto.gz
head -c 5000 tests/traces/qsort/fetchtrace.proto.gz >"$WORK/cut.gz"
refused 'truncated gzip of fetches' 'truncated|ends' "$RUBATO" replay "$system" \
    --data tests/traces/qsort/deptrace.proto.gz --fetch "$WORK/cut.gz"
whole=$(data_file "$MAGIC" "$(data_header 2)" "$records")
head -c -3 "$whole" >"$WORK/cut"
refused_data 'truncated record' 'byte [0-9]+' "$WORK/cut"
refused_data 'header missing' 'header' "$(data_file "$MAGIC")"
refused_data 'empty record' 'byte [0-9]+' "$(data_file "$MAGIC" "$(data_header 2)" "$records" '\x00')"

# --- fields
refused_data 'header without tick_freq' 'tick_freq' \
    "$(data_file "$MAGIC" "$(message "$(text_field 1 test)$(field 4 2)")" "$records")"
refused_data 'header without window_size' 'window_size|packet trace|fetch' \
    "$(data_file "$MAGIC" "$(fetch_header)" "$records")"
refused_data 'record without seq_num' 'seq_num' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 2 3 7 500)")")"
refused_data 'record without type' 'type' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 1 20 7 500)")")"
refused_data 'record of unknown type' 'type' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 1 20 2 9 7 500)")")"
refused_data 'record without comp_delay' 'comp_delay' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 1 20 2 3)")")"
for name in tick cmd addr size; do
    case $name in
        tick) body=$(field 2 1 3 4096 4 64) ;;
        cmd) body=$(field 1 9000 3 4096 4 64) ;;
        addr) body=$(field 1 9000 2 1 4 64) ;;
        size) body=$(field 1 9000 2 1 3 4096) ;;
    esac
    refused_fetch "fetch without $name" "$name" "$(fetch_file "$MAGIC" "$(fetch_header)" "$fetches" "$(message "$body")")"
done
refused_data 'decreasing sequence number' '(seq_num|sequence).*(12|15)' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(load 12 65536)")"
refused_data 'repeated sequence number' '(seq_num|sequence).*15' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(load 15 65536)")"
refused_data 'dependence on itself' 'itself' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 1 20 2 3 6 20 7 500)")")"
refused_data 'dependence on the future' '21.*20|20.*21' \
    "$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(message "$(field 1 20 2 3 7 500 8 21)")")"
refused_fetch 'decreasing tick' 'tick' "$(fetch_file "$MAGIC" "$(fetch_header)" "$fetches" "$(fetch 1000 4096)")"
refused_fetch 'fetch that crosses a line' 'line' "$(fetch_file "$MAGIC" "$(fetch_header)" "$fetches" "$(fetch 9000 4100)")"

# --- addresses outside memory: the size that the message names must do
for kind in data fetch; do
    address=$((5 << 30))
    if [ "$kind" = data ]; then
        data=$(data_file "$MAGIC" "$(data_header 2)" "$records" "$(load 20 $address)") fetch=$good/fetchtrace.proto
    else
        data=$good/deptrace.proto fetch=$(fetch_file "$MAGIC" "$(fetch_header)" "$fetches" "$(fetch 9000 $address)")
    fi
    refused "$kind address outside memory" 'memory\.size' "$RUBATO" replay "$system" --data "$data" --fetch "$fetch"
    size=$(grep -oE 'memory\.size *[=:]? *[0-9.]+ *[KMGT]i?B' "$WORK/stderr" | tail -n 1 | grep -oE '[0-9.]+ *[KMGT]i?B')
    check "$kind address outside memory: memory.size=$size does" test -n "$size"
    check "$kind address outside memory: replays with it" \
        replay "$data" "$fetch" --set "memory.size=$size" >"$WORK/log" 2>&1 || cat "$WORK/log"
    tail -n 1 "$WORK/log" | grep -E '^(not )?ok'
done

# --- impossible systems
set_refused() {    # NAME PATTERN ASSIGNMENT...
    local name=$1 pattern=$2 assignments=()
    shift 2
    for assignment in "$@"; do assignments+=(--set "$assignment"); done
    refused "$name" "$pattern" "$RUBATO" replay "$system" "$good" "${assignments[@]}"
}
set_refused 'sets that are no power of two' 'power of two|power of 2' l1d.size=48KiB l1d.assoc=4
set_refused 'zero ways' 'l1d.assoc' l1d.assoc=0
set_refused 'more ways than lines' 'l1i' l1i.size=1KiB l1i.assoc=32
set_refused 'line that is not a power of two' 'line' line=48
set_refused 'line beyond the interleaving' 'interleave|line' line=128 memory.channels=2 memory.interleave=64
set_refused 'unknown key, nearest name' 'l2\.size' l2.sise=1MiB
set_refused 'unknown device, nearest name' 'DDR4_2400_8x8' memory.device=DDR4_2400_8x9
set_refused 'unit of another kind' 'l2.size' l2.size=2GHz
set_refused 'not an assignment' '=' l2.size
set_refused 'GDDR5 without tCS' 'tCS' memory.device=GDDR5_4000_2x32
printf 'l2:\n  size: [1, 2\n' >"$WORK/broken.yaml"
refused 'broken YAML' 'broken.yaml' "$RUBATO" replay "$WORK/broken.yaml" "$good"
refused 'no such system' 'no such file' "$RUBATO" replay "$WORK/nowhere.yaml" "$good"

# --- outputs
for option in stats log; do
    refused "unwritable --$option" 'nowhere' "$RUBATO" replay "$system" "$good" --$option "$WORK/nowhere/x.txt"
    refused "folder as --$option" "$WORK" "$RUBATO" replay "$system" "$good" --$option "$WORK"
done
if [ -w /dev/full ]; then
    "$RUBATO" replay "$system" "$good" --log /dev/full >"$WORK/stdout" 2>"$WORK/stderr"
    check 'full disk: exit code 2' test $? = 2
fi

# --- flipped bytes anywhere: an answer or one line, in time
survives() {    # DATA FETCH: exit code 0 or 2; with 2 exactly one line that is no warning
    local code
    timeout 10 "$RUBATO" replay "$system" --data "$1" --fetch "$2" >/dev/null 2>"$WORK/stderr" </dev/null
    code=$?
    case $code in
        0) return 0 ;;
        2) [ "$(grep -vc '^rubato: warning: ' "$WORK/stderr")" = 1 ] && grep -q '^rubato: ' "$WORK/stderr" && return 0 ;;
    esac
    echo "    exit code $code"
    head -n 5 "$WORK/stderr" | cut -c 1-200 | sed 's/^/    /'
    return 1
}

flip() {    # FROM OFFSET MASK TO: the byte at OFFSET xor MASK
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    cp "$1" "$4"
    # shellcheck disable=SC2059
    printf "$(printf '\\x%02x' $((byte ^ $3)))" | dd of="$4" bs=1 seek="$2" conv=notrunc status=none
}

flips() {    # NAME SIDE DATA FETCH STEP MASK...: flips every STEP-th byte of the SIDE file (data or fetch)
    local name=$1 side=$2 data=$3 fetch=$4 step=$5 file size offset mask bad=0
    shift 5
    if [ "$side" = data ]; then file=$data data=$WORK/flipped; else file=$fetch fetch=$WORK/flipped; fi
    size=$(wc -c <"$file")
    for ((offset = 0; offset < size; offset += step)); do
        for mask in "$@"; do
            flip "$file" "$offset" "$mask" "$WORK/flipped"
            survives "$data" "$fetch" && continue
            echo "    byte $offset xor $mask"
            [ $((bad += 1)) -lt 5 ] || break 2
        done
    done
    check "$name" test "$bad" = 0
}

gzip -c "$good/deptrace.proto" >"$WORK/deptrace.gz"
flips 'every byte of a small data trace' data "$good/deptrace.proto" "$good/fetchtrace.proto" 1 1 128 255
flips 'every byte of a small fetch trace' fetch "$good/deptrace.proto" "$good/fetchtrace.proto" 1 1 128 255
flips 'every byte of a small gzip' data "$WORK/deptrace.gz" "$good/fetchtrace.proto" 1 16
size=$(wc -c <tests/traces/qsort/deptrace.proto.gz)
flips 'bytes of a real data trace' data tests/traces/qsort/deptrace.proto.gz tests/traces/qsort/fetchtrace.proto.gz \
    $((size / 30 + 1)) 64
size=$(wc -c <tests/traces/qsort/fetchtrace.proto.gz)
flips 'bytes of a real fetch trace' fetch tests/traces/qsort/deptrace.proto.gz tests/traces/qsort/fetchtrace.proto.gz \
    $((size / 20 + 1)) 4
