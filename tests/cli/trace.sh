#!/usr/bin/env bash
# rubato trace: info, dump, build, cut: output and refusals.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/protobuf.sh
need_rubato

equal() {    # EXPECTED FILE; pipes are fine
    diff "$1" "$2" >"$WORK/diff" && return 0
    head -n 10 "$WORK/diff"
    return 1
}

# --- a small trace, whose texts are known
record() { message "$(field "$@")"; }
write "$WORK/deptrace.proto" "$MAGIC" "$(data_header 2)" "$(record 1 1 2 3 7 15500)" "$(record 1 3 2 1 3 65536 4 8 5 0 6 1 7 500 10 4096)" \
    "$(record 1 4 2 2 3 65600 4 4 5 3 6 1 6 3 7 0 8 3 9 2 10 4100 11 70000 12 9)"
write "$WORK/fetchtrace.proto" "$MAGIC" "$(fetch_header)" "$(record 1 0 2 1 3 4096 4 64 5 256 7 4096)" \
    "$(record 1 16000 2 4 3 8192 4 2)" "$(record 1 16000 2 23 3 64 4 1 6 5)"

printf '%s\n' '1,0,1,COMP,15500::' '3,4096,1,LOAD,65536,8,0,500:,1:' '4,4100,2,STORE,65600,4,3,0:,1,3:,3' >"$WORK/expected"
"$RUBATO" trace dump --gem5 "$WORK/deptrace.proto" >"$WORK/gem5.txt"
check "gem5's form of a dependency trace" equal "$WORK/expected" "$WORK/gem5.txt"

printf '%s\n' '# tick_freq 1000000000000' '# window_size 2' '1,-,-,COMP,15500::' '3,4096,-,LOAD,65536,8,0,500:,1:' \
    '4,4100,2,STORE,65600,4,3,0:,1,3:,3:70000,9' >"$WORK/expected"
"$RUBATO" trace dump "$WORK/deptrace.proto" >"$WORK/full.txt"
check 'full form of a dependency trace' equal "$WORK/expected" <(sed '/^# rubato dependency trace$/d; /^# obj_id/d' "$WORK/full.txt")
check 'full form: first line' test "$(head -n 1 "$WORK/full.txt")" = '# rubato dependency trace'

printf '%s\n' 'r,4096,64,256,0,4096' 'w,8192,2,16000' '5,u,64,1,16000' >"$WORK/expected"
"$RUBATO" trace dump "$WORK/fetchtrace.proto" --gem5 >"$WORK/out"
check "gem5's form of a packet trace" equal "$WORK/expected" "$WORK/out"
printf '%s\n' '-,r,4096,64,256,0,4096' '-,w,8192,2,-,16000,-' '5,u23,64,1,-,16000,-' >"$WORK/expected"
"$RUBATO" trace dump "$WORK/fetchtrace.proto" >"$WORK/fetch.txt"
check 'full form of a packet trace' equal "$WORK/expected" <(grep -v '^#' "$WORK/fetch.txt")

"$RUBATO" trace dump "$WORK/deptrace.proto" --records 1:2 >"$WORK/out"
check 'a range of records' test "$(grep -v '^#' "$WORK/out")" = '3,4096,-,LOAD,65536,8,0,500:,1:'

# --- convert: the kinds that it takes
refused 'convert: a pair of elastic traces' 'is a pair of elastic traces; elastic traces are made of instruction traces' \
    "$RUBATO" trace convert tests/traces/qsort -o "$WORK/none"
refused 'convert: GPU kernels' 'is a GPU trace; .*; give --to accel-sim' "$RUBATO" trace convert tests/traces/gpu/gcn3-fir -o "$WORK/none"

# --- JSON, if something here reads it
if command -v python3 >/dev/null; then
    for file in "$WORK/deptrace.proto" "$WORK/fetchtrace.proto" tests/traces/qsort/*.gz; do
        "$RUBATO" trace dump "$file" --json >"$WORK/out"
        check "JSON lines of $(basename "$file")" python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[0]["kind"] in ("dependency trace", "packet trace") and "tick_freq" in lines[0]
assert all(("comp_delay" in r) or ("tick" in r) for r in lines[1:]) and len(lines) == 1 + int(sys.argv[2])' "$WORK/out" \
            "$("$RUBATO" trace dump "$file" | grep -vc '^#')"
    done
    "$RUBATO" trace dump "$WORK/deptrace.proto" --json >"$WORK/out"
    check 'JSON values' python3 -c 'import json, sys
r = [json.loads(line) for line in open(sys.argv[1])]
assert r[1] == {"seq_num": 1, "type": "COMP", "comp_delay": 15500}, r[1]
assert r[3] == {"seq_num": 4, "type": "STORE", "p_addr": 65600, "size": 4, "flags": 3, "rob_dep": [1, 3], "comp_delay": 0,
                "reg_dep": [3], "weight": 2, "pc": 4100, "v_addr": 70000, "asid": 9}, r[3]' "$WORK/out"
    # info: text and JSON are one description, so what is left is that values stand under the right names
    "$RUBATO" trace info "$WORK/deptrace.proto" --json >"$WORK/out"
    check 'info as JSON: values of a dependency trace' python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert (r["kind"], r["ver"] if "ver" in r else 0, r["tick_freq"], r["window_size"]) == ("dependency trace", 0, 10**12, 2), r
assert (r["records"], r["first_seq_num"], r["last_seq_num"], r["micro_ops"], r["with_v_addr"]) == (3, 1, 4, 5, 1), r
assert r["types"] == {"LOAD": 1, "STORE": 1, "COMP": 1}, r["types"]
assert r["footprint"]["loads"] == {"lines": 1, "line_bytes": 64, "pages_4KiB": 1, "lowest": 65536, "highest": 65543, "moved_bytes": 8}, r
assert r["order_dependences"] == {"0": 1, "1": 1, "2": 1} and r["register_dependences"] == {"0": 2, "1": 1}, r
assert r["rebuilt"]["records"] == 3 and r["reuse"]["touches"] == 2, r' "$WORK/out"
    "$RUBATO" trace info "$WORK/fetchtrace.proto" --json >"$WORK/out"
    check 'info as JSON: values of a packet trace' python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert (r["kind"], r["records"], r["reads"], r["writes"]) == ("packet trace", 3, 1, 1), r
assert (r["smallest_bytes"], r["largest_bytes"], r["first_tick"], r["last_tick"], r["duration_ticks"]) == (1, 64, 0, 16000, 16000), r
assert r["gaps_ticks"] == {"0": 1, "8192-16383": 1} and r["footprint"]["all"]["lines"] == 3, r' "$WORK/out"
    "$RUBATO" trace pack tests/traces/qsort -o "$WORK/qsort.store" --quiet
    for trace in tests/traces/qsort "$WORK/qsort.store" tests/traces/detailed/sort.rbt tests/traces/insn/drmemtrace tests/traces/gpu/gcn3-fir; do
        "$RUBATO" trace info "$trace" >"$WORK/out" 2>/dev/null
        "$RUBATO" trace info "$trace" --json >"$WORK/json" 2>/dev/null
        check "info as JSON: the kind and each count of $(basename "$trace") once" python3 -c 'import json, re, sys
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)
def numbers(value):
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value: yield from numbers(one)
    elif isinstance(value, int): yield str(value)
text = open(sys.argv[1]).read()
page = json.loads(open(sys.argv[2]).read(), object_pairs_hook=once)
kind = (page["data"] if "data" in page and "kind" not in page else page)["kind"]
assert re.search(r"kind +" + kind, text), kind
counts = set(numbers(page))
for count in re.findall(r"^ +(?:records|instructions|[a-z_]+) +(\d+)(?: \d+ | +\d+\.\d %|, | \()", text, re.M):
    assert count in counts, count' "$WORK/out" "$WORK/json"
    done
    # dump: of an instruction trace each field of the text, in the order of the text
    for trace in tests/traces/detailed/sort.rbt tests/traces/insn/drmemtrace tests/fuzz/corpus/insn/champsim tests/fuzz/corpus/insn/lackey; do
        "$RUBATO" trace dump "$trace" --records 0:2000 2>/dev/null | sed 1,2d >"$WORK/out"
        "$RUBATO" trace dump "$trace" --records 0:2000 --json >"$WORK/json" 2>/dev/null
        check "dump as JSON: each line of $(basename "$trace") is that of the text" python3 -c 'import json, sys
def line(r):
    if "marker" in r:
        return " ".join(["#", str(r["thread"]), r["marker"], str(r["value"])] + [hex(a) for a in r.get("arguments", [])])
    words = ["gap", str(r["gap"])] if "gap" in r else []
    words += [str(r["thread"]), hex(r["pc"]), str(r["size"])] if "pc" in r else []
    words += [r["kind"]]
    words += [{True: "taken", False: "not_taken"}[r["taken"]]] if "taken" in r else []
    words += ["target", hex(r["target"])] if "target" in r else []
    words += ["bytes", r["bytes"]] if "bytes" in r else []
    words += [r["class"]] if "class" in r else []
    for key in ("reads", "writes"):
        words += [key, ",".join(r[key])] if key in r else []
    words += [key for key in ("atomic", "fence") if r.get(key)]
    for access in r.get("accesses", []):
        words += [access["access"], hex(access["address"]), str(access["size"])]
    return " ".join(words)
text = open(sys.argv[1]).read().splitlines()
head, *records = [json.loads(one) for one in open(sys.argv[2])]
assert "format" in head and len(text) == len(records) > 0, (head, len(text), len(records))
for one, record in zip(text, records):
    assert one == line(record), (one, line(record))' "$WORK/out" "$WORK/json"
    done
else
    skip 'JSON (16): no python3'
fi

# --- building
check 'build of the full form' "$RUBATO" trace build "$WORK/full.txt" -o "$WORK/back.proto"
check 'build gives the file again' cmp "$WORK/deptrace.proto" "$WORK/back.proto"
check 'build of the packets' "$RUBATO" trace build "$WORK/fetch.txt" --output "$WORK/back.proto"
check 'build gives the packets again' cmp "$WORK/fetchtrace.proto" "$WORK/back.proto"
gzip -c "$WORK/full.txt" >"$WORK/full.txt.gz"
check 'build of compressed text' "$RUBATO" trace build "$WORK/full.txt.gz" -o "$WORK/back.proto.gz"
check 'gzip by name' cmp "$WORK/deptrace.proto" <(gzip -dc "$WORK/back.proto.gz")
"$RUBATO" trace build "$WORK/gem5.txt" -o "$WORK/back.proto" --window 77 --tick-freq 2e9 --obj-id 'a "b"' 2>"$WORK/stderr"
check "build of gem5's form" test -s "$WORK/back.proto"
"$RUBATO" trace dump "$WORK/back.proto" 2>/dev/null >"$WORK/out"
check 'header from options' grep -qx '# window_size 77' "$WORK/out"
check 'obj_id from options' grep -qxF '# obj_id "a \"b\""' "$WORK/out"
"$RUBATO" trace dump --gem5 "$WORK/back.proto" >"$WORK/out" 2>/dev/null
check "gem5's form there and back" cmp "$WORK/gem5.txt" "$WORK/out"

printf '%s\n' '1,0,1,COMP,1::' '2,0,1,COMP,x::' >"$WORK/bad.txt"
refused 'text with an error' 'bad.txt: line 2: found "x::"' "$RUBATO" trace build "$WORK/bad.txt" -o "$WORK/never.proto" --window 5
check 'no file of a text with an error' test ! -e "$WORK/never.proto" -a ! -e "$WORK/never.proto.partial"
refused 'build of a trace' 'is a trace already' "$RUBATO" trace build "$WORK/deptrace.proto" -o "$WORK/never.proto"
refused 'build without output' 'add -o FILE' "$RUBATO" trace build "$WORK/full.txt"
refused 'build to nowhere' 'nowhere/x: cannot be written: No such' "$RUBATO" trace build "$WORK/full.txt" -o "$WORK/nowhere/x"
if [ -w /dev/full ]; then
    refused 'build to a full disk' '/dev/full: cannot be written: No space' "$RUBATO" trace build "$WORK/full.txt" -o /dev/full
    "$RUBATO" trace dump "$WORK/deptrace.proto" >/dev/full 2>"$WORK/stderr"
    check 'dump to a full disk' test $? = 2
fi

# --- info
"$RUBATO" trace info "$WORK/deptrace.proto" >"$WORK/out"
for line in 'kind +dependency trace' 'window_size +2 records' 'records +3 \(seq_num 1 to 4\), 5 micro-ops' 'LOAD +1 +33.3 %' \
    'duration +about 17 ns' 'both +2 lines of 64 bytes = 128 bytes, 1 pages' 'code +1 lines'; do
    check "info of a dependency trace: $line" grep -qE "$line" "$WORK/out"
done
"$RUBATO" trace info "$WORK/fetchtrace.proto" >"$WORK/out"
for line in 'kind +packet trace' 'records +3: 1 reads, 1 writes, 1 others' 'size +1 to 64 bytes' 'duration +16 ns' \
    'all +3 lines of 64 bytes'; do
    check "info of a packet trace: $line" grep -qE "$line" "$WORK/out"
done

# --- bad files, in all commands that read one
: >"$WORK/empty"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 5159445\n' 0 >"$WORK/pointer"
head -c 50000 tests/traces/triad/deptrace.proto.gz >"$WORK/cut.proto.gz"
for command in info dump; do
    refused "$command: empty file" 'empty' "$RUBATO" trace $command "$WORK/empty"
    refused "$command: Git LFS pointer" 'git lfs pull' "$RUBATO" trace $command "$WORK/pointer"
    refused "$command: another file" 'line 1: column 2: "MIT License" is not .*--format NAME' "$RUBATO" trace $command LICENSE
    mkdir -p "$WORK/nothing"
    refused "$command: a folder" 'is a folder' "$RUBATO" trace $command "$WORK/nothing"
    refused "$command: its own text" 'rubato trace build' "$RUBATO" trace $command "$WORK/full.txt"
done
refused 'info: truncated gzip' 'byte [0-9]+: the gzip data breaks off' "$RUBATO" trace info "$WORK/cut.proto.gz"
"$RUBATO" trace dump "$WORK/cut.proto.gz" >"$WORK/out" 2>"$WORK/stderr"
check 'dump: truncated gzip: exit code 2' test $? = 2
check 'dump: truncated gzip: records before the break' test "$(wc -l <"$WORK/out")" -gt 1000

# --- cutting
mkdir "$WORK/broken"
cp "$WORK/cut.proto.gz" "$WORK/broken/system.cpu.deptrace.proto.gz"
head -c 100 tests/traces/triad/fetchtrace.proto.gz >"$WORK/broken/system.cpu.fetchtrace.proto.gz"
refused 'cut of a broken pair' 'breaks off.*--salvage' "$RUBATO" trace cut "$WORK/broken" -o "$WORK/salvaged"
check 'no folder of a cut that failed' test ! -e "$WORK/salvaged"
"$RUBATO" trace cut "$WORK/broken" --salvage -o "$WORK/salvaged" >"$WORK/out"
check 'salvage' test $? = 0
check 'salvage reports the place of the truncation' grep -q 'breaks off behind record' "$WORK/out"
"$RUBATO" trace dump "$WORK/cut.proto.gz" 2>/dev/null | cmp - <("$RUBATO" trace dump "$WORK/salvaged/deptrace.proto.gz")
check 'salvaged records are those before the break' test $? = 0

"$RUBATO" trace cut tests/traces/qsort --records : -o "$WORK/all" >"$WORK/out"
check 'cut of everything' test $? = 0
for kind in dep fetch; do
    check "cut of everything: ${kind}trace" cmp <(gzip -dc tests/traces/qsort/${kind}trace.proto.gz) \
        <(gzip -dc "$WORK/all/${kind}trace.proto.gz")
done
"$RUBATO" trace cut tests/traces/qsort --records 5000:7000 -o "$WORK/range" >"$WORK/out"
check 'cut of a range' test $? = 0
check 'cut of a range: records' test "$("$RUBATO" trace dump "$WORK/range/deptrace.proto.gz" | grep -vc '^#')" = 2000
check 'cut of a range: fetches begin at 0' test \
    "$("$RUBATO" trace dump --gem5 "$WORK/range/fetchtrace.proto.gz" --records :1 | cut -d , -f 5)" = 0
"$RUBATO" replay configs/default.yaml "$WORK/range" >"$WORK/log" 2>&1
check 'cut of a range replays' test $? = 0
"$RUBATO" trace cut tests/traces/qsort --records 0:100 -o "$WORK/short" >"$WORK/out" 2>"$WORK/stderr"
check 'cut of less than two windows warns' grep -q 'fewer than two windows (1152)' "$WORK/stderr"
refused 'cut into its own folder' 'replace the traces' "$RUBATO" trace cut "$WORK/range" -o "$WORK/range"
refused 'empty range' 'A below B' "$RUBATO" trace cut tests/traces/qsort --records 7:7 -o "$WORK/x"
refused 'range behind the end' 'holds 24000 records' "$RUBATO" trace cut tests/traces/qsort --records 24000: -o "$WORK/x"
refused 'range that is no range' 'expected A:B' "$RUBATO" trace cut tests/traces/qsort --records 7 -o "$WORK/x"
refused 'folder without traces' 'holds no dependency trace' "$RUBATO" trace cut configs -o "$WORK/x"
refused 'cut to nowhere' 'cannot be created' "$RUBATO" trace cut tests/traces/qsort -o "$WORK/nowhere/deep"
refused 'unknown trace command' 'there is no command trace look' "$RUBATO" trace look
