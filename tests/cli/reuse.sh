#!/usr/bin/env bash
# Miss-rate curves of `rubato trace info` against a slow model: a list of lines in the order of their last touches, filled from what
# `rubato trace dump` prints; elastic, instruction and GPU traces, folders and stores; pictures.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
[ -n "$(command -v python3)" ] || { skip 'no python3 (14)'; exit 0; }

cat >"$WORK/slow.py" <<'EOF'
"""slow.py KIND LINE_BYTES: dump on stdin -> table rows "lines misses" and "first N" as trace info has them."""
import json, sys

kind, line_bytes = sys.argv[1], int(sys.argv[2])
order, distances, first = [], {}, 0

def touch(line):
    global first
    if line in order:
        distance = len(order) - 1 - order.index(line)
        distances[distance] = distances.get(distance, 0) + 1
        order.remove(line)
    else:
        first += 1
    order.append(line)

def access(address, size):
    for line in range(address // line_bytes, (address + max(size, 1) - 1) // line_bytes + 1):
        touch(line)

def accesses_of_elastic():
    for text in sys.stdin:
        record = json.loads(text)
        if record.get("type") in ("LOAD", "STORE"):
            access(record.get("p_addr", 0), record.get("size", 0))
        elif kind == "fetch" and "cmd" in record:
            access(record["addr"], record["size"])

def accesses_of_instructions():
    thread = None
    for text in sys.stdin:
        words = text.split()
        if text.startswith("#"):
            continue
        if words[0] != thread:
            thread = words[0]
            order.clear()
        for at, word in enumerate(words):
            if word in ("load", "store") and words[at + 1].startswith("0x"):
                access(int(words[at + 1], 16), int(words[at + 2]))

def accesses_of_gpu():
    warps, block = {}, None

    def flush():
        turn = 0
        while any(turn < len(warp) for warp in warps.values()):
            for number in sorted(warps):
                if turn < len(warps[number]):
                    for line in warps[number][turn]:
                        touch(line)
            turn += 1
        warps.clear()

    for text in sys.stdin:
        record = json.loads(text)
        if "block" not in record or "warp" not in record:
            flush()
            continue
        if record["block"] != block:
            flush()
            block = record["block"]
        lines = []
        if record.get("space") in ("global", "generic", "scalar"):
            for address in record.get("addresses", []):
                for at in (address, address + record["width_bytes"] - 1):
                    if at // line_bytes not in lines:
                        lines.append(at // line_bytes)
        warps.setdefault(record["warp"], []).append(lines)
    flush()

{"gpu": accesses_of_gpu, "insn": accesses_of_instructions}.get(kind, accesses_of_elastic)()
lines = max(1024 // line_bytes, 1)
while True:
    print(lines, first + sum(count for distance, count in distances.items() if distance >= lines))
    if all(distance < lines for distance in distances):
        break
    lines *= 2
print("first", first)
EOF

# curve NUMBER: the table of the Nth curve of what trace info printed
curve() {
    awk -v wanted="$1" '/^Misses of a fully associative/ { n++ }
        n == wanted && $4 == "lines" && $6 == "misses" { print $3, $5 }
        n == wanted && /^  of [0-9]* touches/ { print "first", $6; exit }' "$WORK/info"
}
same() {    # NAME NUMBER KIND LINE_BYTES DUMP...: the Nth curve is the slow model's
    local name=$1 number=$2 kind=$3 line=$4
    shift 4
    "$RUBATO" trace dump "$@" 2>/dev/null | python3 "$WORK/slow.py" "$kind" "$line" >"$WORK/slow"
    check "$name" cmp "$WORK/slow" <(curve "$number")
}
info() { "$RUBATO" trace info "$@" >"$WORK/info" 2>"$WORK/messages" || { not_ok "trace info $*"; cat "$WORK/messages"; }; }

# ---- elastic: a file, a folder, a store
info "$TRACES/gups/deptrace.proto.gz"
same 'a dependency trace' 1 dep 64 "$TRACES/gups/deptrace.proto.gz" --json
info "$TRACES/qsort/deptrace.proto.gz" --line 16
same 'other lines' 1 dep 16 "$TRACES/qsort/deptrace.proto.gz" --json
info "$TRACES/qsort/fetchtrace.proto.gz"
same 'a fetch trace' 1 fetch 64 "$TRACES/qsort/fetchtrace.proto.gz" --json
info "$TRACES/qsort"
same 'a folder: its data' 1 dep 64 "$TRACES/qsort/deptrace.proto.gz" --json
same 'a folder: its fetches' 2 fetch 64 "$TRACES/qsort/fetchtrace.proto.gz" --json
check 'a folder: both pages' test "$(grep -cE '^  kind +(dependency|packet) trace$' "$WORK/info")" = 2
"$RUBATO" trace pack "$TRACES/qsort" -o "$WORK/qsort.pack" --quiet
cp "$WORK/info" "$WORK/files"
info "$WORK/qsort.pack"
same 'a store: its data' 1 dep 64 "$TRACES/qsort/deptrace.proto.gz" --json
same 'a store: its fetches' 2 fetch 64 "$TRACES/qsort/fetchtrace.proto.gz" --json
check 'a store has the footprint and histograms of its files' cmp \
    <(sed -n '/^Footprint/,/^Delay/p' "$WORK/files") <(sed -n '/^Footprint/,/^Delay/p' "$WORK/info")

# ---- instructions, GPUs
info "$TRACES/detailed/hash.rbt"
same 'an instruction trace' 1 insn 64 "$TRACES/detailed/hash.rbt"
info "$TRACES/insn/lackey/exact.lackey.txt"
same 'a text trace' 1 insn 64 "$TRACES/insn/lackey/exact.lackey.txt"
info "$TRACES/gpu/gcn3-fir"
same 'a GPU trace' 1 gpu 128 "$TRACES/gpu/gcn3-fir" --json
info "$TRACES/gpu/volta-bfs-2blocks" --line 32
same 'a GPU trace, sectors' 1 gpu 32 "$TRACES/gpu/volta-bfs-2blocks" --json
"$RUBATO" trace info "$TRACES/gpu/gcn3-fir" --json >"$WORK/info.json"
info "$TRACES/gpu/gcn3-fir"
check 'JSON has the same rates' python3 - "$WORK/info.json" <(curve 1) <<'EOF'
import json, sys

reuse = json.load(open(sys.argv[1]))["all"]["reuse"]
rows = [line.split() for line in open(sys.argv[2])]
assert reuse["one_line_in"] == 1 and str(round(reuse["first_touches"])) == rows[-1][1]
assert [(str(rate["cache_bytes"] // 128), str(round(rate["miss_rate"] * reuse["touches"]))) for rate in reuse["miss_rates"]] \
    == [tuple(row) for row in rows[:-1]], (reuse, rows)
EOF

# ---- more lines than are looked at: estimates, and said so
python3 - >"$WORK/large.din" <<'EOF'
state = 1
print("# din")
for i in range(1500000):
    print("0", format(64 * i, "x"))
for i in range(0, 1500000, 3):
    print("0", format(64 * i, "x"))
EOF
info "$WORK/large.din"
check 'a large footprint is sampled, with a message' grep -q 'estimated: 1 line in 2 was looked at' "$WORK/info"
check 'the estimate is near' awk '/touches of lines/ { exit !($6 > 1490000 && $6 < 1510000) } END { if (!NR) exit 1 }' "$WORK/info"

# ---- pictures
for trace in "$TRACES/qsort" "$WORK/qsort.pack" "$TRACES/detailed/hash.rbt" "$TRACES/gpu/gcn3-fir"; do
    "$RUBATO" trace info "$trace" --svg "$WORK/curve.svg" >/dev/null 2>&1
    check "a picture of $(basename "$trace")" python3 - "$WORK/curve.svg" <<'EOF'
import sys, xml.dom.minidom

svg = xml.dom.minidom.parse(sys.argv[1])
lines = [[tuple(map(float, point.split(","))) for point in line.getAttribute("points").split()]
         for line in svg.getElementsByTagName("polyline")]
assert lines and all(len(line) > 3 for line in lines)
for line in lines:      # rising capacities, falling miss rates, within the frame
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in zip(line, line[1:]))
    assert all(70 <= x <= 690.1 and 60 <= y <= 340 for x, y in line)
EOF
done
refused 'a picture as PNG' 'x\.png: ends in \.png, but the output is an SVG; name it ' "$RUBATO" trace info "$TRACES/qsort" --svg "$WORK/x.png"
mkdir "$WORK/empty"
refused 'a folder without traces' 'is a folder without a trace in it; expected deptrace' "$RUBATO" trace info "$WORK/empty"
exit $failures
