#!/usr/bin/env bash
# Formats of instruction traces: each is recognised in all the ways that its text may be written, from files and pipes;
# `trace info` and `replay` read every output of `trace convert`; files of other kinds are refused with their kind.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
IN=$WORK/in
mkdir "$IN"

# ---- a small trace of each format
printf '==9== Lackey\nI  0401ab30,3\n S 1ffeffe7e8,8\nI  0401ab33,5\n L 1ffeffe7e8,8\n M 1ffeffe7f0,4\n' >"$IN/lackey"
printf '0x401000: R 0x1000020\n0x401004: W 0x2000000\n#eof\n' >"$IN/pinatrace"
printf '0:\tread\t0x40\n10:\twrite\t0x80\n' >"$IN/stl"
printf '0:\tread\t0x40\n10:\t(16) write\t0x80\n' >"$IN/times.rstl"
printf '12 R 131072 8\n30 W 131136 4\n' >"$IN/prospero"
printf '5 R 0x40 0x0 0\n9 W 0x80 0x0 0\n' >"$IN/nvmain"
printf '0x1000 R\n0x20ab W\n' >"$IN/ramulator"
printf '0x2000D5C0 READ 30\n0x1FF96FC0 WRITE 160\n0x1FF96FC0 IFETCH 170\n' >"$IN/dramsim3"
printf 'LD 0x1000\nST 4096\n' >"$IN/load_store"
printf 'r 10a0 4\nw 20b0 4\ni 400 4\n' >"$IN/extended_din"
printf 'R 0x1000 5\nW 0x20ab 500\n' >"$IN/rw_time"
printf 'R 4096\nW 0x20ab\n' >"$IN/rw"
printf 'R 10ab\nW 20ab\n' >"$IN/rw_hex"
printf '2 40a\n0 10b0\n1 20b0\n' >"$IN/din"
printf '30 0x1000 0x2000\n7 0x3000\n' >"$IN/cpu_trace"
printf '10, 100, 101, 102\n11, 200, -1, 202,\n' >"$IN/scalesim"
cp tests/traces/field/spike_commits.log "$IN/spike"
cp tests/traces/field/execlog.log "$IN/execlog"
text='lackey pinatrace stl times.rstl prospero nvmain ramulator dramsim3 load_store extended_din rw_time rw rw_hex din cpu_trace scalesim
    spike execlog'
cp tests/traces/field/requests.bin "$IN/prospero_binary"
xz -dc tests/traces/field/zeros_kernel.champsim.xz >"$IN/champsim"
cp tests/traces/insn/drmemtrace/drmemtrace.small.x64.trace "$IN/drmemtrace"
"$RUBATO" trace pack "$IN/lackey" -o "$IN/packed.rbt" --quiet && mv "$IN/packed.rbt" "$IN/rbt"
cp tests/traces/triad/fetchtrace.proto.gz "$IN/packets"

quietly() { "$@" >/dev/null 2>&1; }
as() { case $1 in rw_time) echo '--format rw_time' ;; esac; }    # options with which it is read
# The format and the counts of a trace in one line.
seen() {
    "$RUBATO" trace info "$@" 2>/dev/null | awk '/^  kind/ || /^  instructions/ { sub(/^ +/, ""); print } /^ +[0-9]+ (loads|stores)$/ { print $1, $2 }' | tr '\n' ' '
}

# ---- the ways to write text
write_as() {    # WAY FILE
    case $1 in
        'CR before the line end') sed 's/$/\r/' "$2" ;;
        'mark of UTF-8') printf '\xef\xbb\xbf'; cat "$2" ;;
        'blanks behind') sed 's/$/  \t/' "$2" ;;
        'no last line end') head -c -1 "$2" ;;
        tabs) sed 's/ /\t/g' "$2" ;;
        'upper case') tr '[:lower:]' '[:upper:]' <"$2" ;;
        'lower case') tr '[:upper:]' '[:lower:]' <"$2" ;;
        comments) printf '# a comment\n\n'; cat "$2"; printf '\n# the end\n' ;;
        gzip) gzip -c "$2" ;;
        xz) xz -c "$2" ;;
        zstd) zstd -qc "$2" ;;
        bzip2) bzip2 -c "$2" ;;
    esac
}
mkdir "$WORK/way"
for name in $text; do
    # shellcheck disable=SC2046
    expected=$(seen "$IN/$name" $(as "$name"))
    differ=
    for way in 'CR before the line end' 'mark of UTF-8' 'blanks behind' 'no last line end' tabs 'upper case' 'lower case' comments gzip xz \
        zstd bzip2; do
        case $way in zstd | bzip2) command -v "$way" >/dev/null || continue ;; esac
        write_as "$way" "$IN/$name" >"$WORK/way/$name"
        # shellcheck disable=SC2046
        [ "$(seen "$WORK/way/$name" $(as "$name"))" = "$expected" ] || differ="$differ, $way"
    done
    case $name in
        times.rstl) ;;    # its name tells it
        *)
            # shellcheck disable=SC2046
            [ "$(seen - $(as "$name") <"$IN/$name")" = "$expected" ] || differ="$differ, standard input"
            # shellcheck disable=SC2046
            [ "$(cat "$IN/$name" | seen - $(as "$name"))" = "$expected" ] || differ="$differ, a pipe"
            # shellcheck disable=SC2046
            [ "$(gzip -c "$IN/$name" | seen - $(as "$name"))" = "$expected" ] || differ="$differ, gzip in a pipe"
            # shellcheck disable=SC2046
            [ "$(seen <(cat "$IN/$name") $(as "$name"))" = "$expected" ] || differ="$differ, a pipe by name"
            ;;
    esac
    check "$name is read in all ways it may be written${differ:+; not as${differ#,}}" test -z "$differ" -a -n "$expected"
    head -n 1 "$IN/$name" >"$WORK/way/$name"
    [ "$name" != lackey ] || sed -n 2p "$IN/lackey" >"$WORK/way/lackey"
    # shellcheck disable=SC2046
    check "$name of one line" quietly "$RUBATO" trace info "$WORK/way/$name" $(as "$name")
done
check 'a replay of standard input' test "$(cat "$IN/lackey" | "$RUBATO" replay wide - | grep '^l1d')" = "$("$RUBATO" replay wide "$IN/lackey" | grep '^l1d')"
check 'a conversion of standard input' sh -c 'cat "$1" | "$2" trace convert - --to lackey -o "$3" --quiet' sh "$IN/lackey" "$RUBATO" "$WORK/piped.txt"
check '... is that of the file' test "$(grep -v == "$IN/lackey" | cksum)" = "$(cksum <"$WORK/piped.txt")"
printf 'I  0401,3\n' | "$RUBATO" trace info - >"$WORK/out" && check 'a pipe is called standard input' grep -qx 'standard input' "$WORK/out"
printf 'hello\n' | "$RUBATO" replay wide - 2>"$WORK/messages"
check 'and in messages' test "$(grep -c '^rubato: standard input: line 1: ' "$WORK/messages")" = 1

# ---- each format converted to each other: the result is read back
"$RUBATO" trace pack "$IN/execlog" -o "$WORK/threads.rbt" --quiet
for to in elastic champsim drmemtrace lackey; do
    bad=
    for name in $text prospero_binary champsim drmemtrace rbt packets; do
        rm -rf "$WORK/made"
        # shellcheck disable=SC2046
        if ! "$RUBATO" trace convert "$IN/$name" $(as "$name") --to $to -o "$WORK/made" >"$WORK/out" 2>&1; then
            # ChampSim's records need a pc.
            [ $to = champsim ] && [ "$(grep -c 'it lacks pcs$' "$WORK/out")" = 1 ] || bad="$bad $name:$(tail -n 1 "$WORK/out")"
            continue
        fi
        grep -q ' [1-9][0-9]* bytes$\|^  bytes  *[1-9]' "$WORK/out" || bad="$bad $name:no-size"
        [ -d "$WORK/made" ] || bad="$bad $name:no-folder"
        "$RUBATO" trace info "$WORK/made" >"$WORK/out" 2>&1 || bad="$bad $name:info"
        system=wide
        [ $name != execlog ] || system=quad
        "$RUBATO" replay $system --set memory.size=4GiB --set cores=$([ $name = execlog ] && echo 2 || echo 1) "$WORK/made" >"$WORK/out" 2>&1 \
            || bad="$bad $name:replay:$(grep -h rubato: "$WORK/out")"
    done
    check "the file written as $to is read${bad:+; not$bad}" test -z "$bad"
done
for to in champsim lackey; do
    refused "$to: several threads are no file" 'that of a file, and the trace has 2 threads' "$RUBATO" trace convert "$IN/execlog" --to $to -o "$WORK/two.gz"
    "$RUBATO" trace convert "$IN/execlog" --to $to -o "$WORK/two-$to" --quiet
    "$RUBATO" trace convert "$IN/rbt" --to $to -o "$WORK/one-$to" --quiet
    check "$to: a folder of one thread or two" test -d "$WORK/two-$to" -a -d "$WORK/one-$to"
    check "$to: threads are found again" test "$(seen "$WORK/two-$to" | sed 's/.*instructions  //')" = "$(seen "$IN/execlog" | sed 's/.*instructions  //')"
done

# ---- windows and parts of drmemtrace
mkdir -p "$WORK/run/trace/window.0000" "$WORK/run/trace/window.0001"
cp "$IN/drmemtrace" "$WORK/run/trace/window.0000/drmemtrace.small.1.0000.trace"
cp "$IN/drmemtrace" "$WORK/run/trace/window.0001/drmemtrace.small.1.0000.trace"
"$RUBATO" trace info "$WORK/run" >"$WORK/out"
check 'windows of a thread follow each other' test "$(grep -c '^  instructions  346, \|^  threads       1$\|^ *1 markers lost$' "$WORK/out")" = 3
check 'one window' test "$("$RUBATO" trace info "$WORK/run/trace/window.0001" | grep -c '^  instructions  173,')" = 1
tail -c +241 "$IN/drmemtrace" >"$WORK/part"
check 'a part without header' test "$("$RUBATO" trace info "$WORK/part" | grep -c 'a part without header\|^  instructions  162,')" = 2

# ---- files that are no traces
is() {    # WHAT PATTERN FILE
    refused "$1" "$2" "$RUBATO" trace info "$3"
    refused "$1: replay" "$2" "$RUBATO" replay wide "$3"
}
tar cf "$WORK/tar" -C "$IN" champsim
gzip -c "$WORK/tar" >"$WORK/tar.gz" && xz -c "$WORK/tar" >"$WORK/tar.xz"
is 'a tar' 'is a tar archive; unpack it' "$WORK/tar"
is 'a tar in gzip' 'is a tar archive; unpack it' "$WORK/tar.gz"
is 'a tar in xz' 'is a tar archive; unpack it' "$WORK/tar.xz"
printf '7z\xbc\xaf\x27\x1c\0\4' >"$WORK/7z" && is 'a 7z' 'is a 7z archive' "$WORK/7z"
printf '\xd4\xc3\xb2\xa1\2\0\4\0' >"$WORK/pcap" && is 'a pcap' 'network packets' "$WORK/pcap"
is 'a program' 'is a program or library \(ELF\)' "$RUBATO"
printf 'SQLite format 3\0' >"$WORK/db" && is 'a database' 'SQLite database; .*rubato results' "$WORK/db"
printf '# a system\ninclude: wide\nl2: {size: 1MiB}\n' >"$WORK/y.yaml"
refused 'YAML' 'looks like YAML' "$RUBATO" trace info "$WORK/y.yaml"
gzip -c "$WORK/tar.gz" | gzip -c >"$WORK/twice" && is 'twice compressed' 'is compressed twice' "$WORK/twice"
: >"$WORK/empty" && is 'an empty file' 'is empty' "$WORK/empty"
head -c 4096 /dev/zero >"$WORK/zeros" && is 'zeros' 'holds zeros only' "$WORK/zeros"
printf '# nothing\n\n' >"$WORK/comments" && is 'comments only' 'no line but comments' "$WORK/comments"
iconv -f ASCII -t UTF-16 "$IN/din" >"$WORK/utf16" 2>/dev/null && is 'UTF-16' 'is text of UTF-16' "$WORK/utf16"
printf 'gem6 is no magic number\n' >"$WORK/near"
is 'never "gem5"' 'is not a known instruction trace; the nearest format' "$WORK/near"
cp tests/traces/triad/deptrace.proto.gz "$WORK/damaged.proto.gz" && gzip -dc "$WORK/damaged.proto.gz" | sed '1s/^gem5/gem7/' >"$WORK/damaged.proto"
refused 'but of a file named as one' 'magic number' "$RUBATO" trace info "$WORK/damaged.proto"

# ---- --format in each command that reads traces, and in a sweep
for command in 'trace info' 'trace dump' 'trace verify' 'replay wide'; do
    # shellcheck disable=SC2086
    check "$command --format" quietly "$RUBATO" $command "$IN/rw_time" --format rw_time
done
check 'trace pack --format' quietly "$RUBATO" trace pack "$IN/rw_time" --format rw_time -o "$WORK/t.rbt"
check 'trace cut --format' quietly "$RUBATO" trace cut "$IN/rw_time" --format rw_time -o "$WORK/c.rbt"
check 'its .rbt names its origin' test "$("$RUBATO" trace info "$WORK/t.rbt" | grep -c 'letters, addresses and times')" = 1
printf 'system: wide\ntraces: %s\nformat: rw_time\naxes: {l2.size: [256KiB, 512KiB]}\n' "$IN/rw_time" >"$WORK/sweep.yaml"
check 'a sweep with format:' quietly "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/sweep.db"
printf 'system: wide\ntraces: %s\nformat: tape\n' "$IN/rw_time" >"$WORK/sweep.yaml"
refused 'a sweep with a format that is none' 'sweep.yaml:3: .*format' "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/none.db"
for name in $(sed -n 's/^    F(\([a-z0-9_]*\),.*/\1/p' proto/insn/formats.h); do
    "$RUBATO" trace info --help | grep -q "^  $name: " || not_ok "--help lists $name"
done
check 'the list is whole' test "$("$RUBATO" trace info --help | grep -c '^  [a-z0-9_]*: ')" -ge 24
exit $failures
