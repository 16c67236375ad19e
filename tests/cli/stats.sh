#!/usr/bin/env bash
# Statistics files: each ending has its format, series are valid, all JSON fits docs/stats.schema.json, CSV and JSON have the same
# numbers, names that mislead are refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

schema=$PWD/docs/stats.schema.json check_schema=$PWD/tests/support/schema_check.py
traces=$PWD/tests/traces
cd "$WORK" || exit 1
run() { "$RUBATO" replay "$@" --quiet 2>messages || { not_ok "replay $*"; head -n 3 messages; }; }
three() { printf -- '--stats %s.json --stats %s.jsonl --stats %s.csv' "$1" "$1" "$1"; }    # words without spaces

# shellcheck disable=SC2046
{
run wide "$traces/triad" $(three one)
run wide "$traces/triad" $(three series) --interval 20us
run wide "$traces/triad" $(three short) --interval 10ms
run quad "$traces/triad" $(three cores) --interval 30us --warmup 500
run wide "$traces/detailed/chase.rbt" --model detailed --records 20000 $(three detailed) --interval 5us
run laptop-tlb "$traces/detailed/chase.rbt" --records 20000 $(three tlb)
run titanx "$traces/gpu/pascal-vectoradd-100" --per-instruction $(three gpu)
run r9nano "$traces/gpu/gcn3-fir" $(three gcn3)
run hetero "$traces/triad" "$traces/gpu/pascal-vectoradd-100" --set cores=1 $(three mixed) --interval 5us
}
files=(one series short cores detailed tlb gpu gcn3 mixed)

if [ -z "$(command -v python3)" ]; then
    skip 'no python3 (30)'
    exit 0
fi
for name in "${files[@]}"; do
    for ending in json jsonl; do
        check "$name.$ending fits the schema" python3 "$check_schema" "$schema" "$name.$ending"
        check "$name.$ending fits the schema, read by our own validator" python3 "$check_schema" --own "$schema" "$name.$ending"
    done
done

# what does not fit is found, by both validators
broken() {    # NAME PYTHON: changes the value v
    python3 - "$2" <<'EOF' >broken.json
import json, sys
v = json.load(open(sys.argv[1].split("|")[0]))
exec(sys.argv[1].split("|")[1])
json.dump(v, sys.stdout)
EOF
    check "$1 is found" eval "! python3 '$check_schema' '$schema' broken.json >/dev/null"
    check "$1 is found by our own validator" eval "! python3 '$check_schema' --own '$schema' broken.json >/dev/null"
}
broken 'a text for a number' 'one.json|v["system.cpu.cpi"] = "1.5"'
broken 'a name of nobody' 'one.json|v["sytem.cpu.cpi"] = 1'
broken 'a missing time' 'one.json|del v["simTicks"]'
broken 'an empty series' 'series.json|v = []'
broken 'a kernel without cycles' 'gpu.json|del v["kernels"][0]["cycles"]'
broken 'a counter of nobody' 'gpu.json|v["kernels"][0]["warp"] = 1'

# JSON, JSON lines and CSV have the same; blocks end where they should
cat >same.py <<'EOF'
import csv, json, sys

name = sys.argv[1]
whole = json.load(open(name + ".json"))
blocks = whole if isinstance(whole, list) else [whole]
lines = [json.loads(line) for line in open(name + ".jsonl")]
assert lines == blocks, "JSON lines are others"
with open(name + ".csv", newline="") as file:
    rows = list(csv.reader(file))
assert len({len(row) for row in rows}) == 1, "lines of CSV differ in length"
assert len(set(rows[0])) == len(rows[0]), "a column twice"
if "kernels" in whole:
    for kind, records in (("kernel", blocks[0]["kernels"]), ("stream", blocks[0]["streams"])):
        table = [dict(zip(rows[0], row)) for row in rows[1:] if row[0] == kind]
        assert len(table) == len(records) > 0, kind
        for row, record in zip(table, records):
            for key, value in record.items():
                if key != "instructions":
                    assert row[key] == str(value) or float(row[key]) == float(value), (kind, key, row[key], value)
    pcs = [pc for kernel in blocks[0]["kernels"] for pc in kernel.get("instructions", [])]
    table = [dict(zip(rows[0], row)) for row in rows[1:] if row[0] == "pc"]
    assert [(row["pc"], int(row["lanes"])) for row in table] == [(pc["pc"], pc["lanes"]) for pc in pcs]
else:
    assert len(rows) == len(blocks) + 1, "a line a block"
    assert set(rows[0]) == {key for block in blocks for key in block}
    for block, row in zip(blocks, rows[1:]):
        for key, text in zip(rows[0], row):
            if key in block:
                assert text == "" if block[key] is None else float(text) == block[key], (key, text, block[key])
            else:      # left out as it is 0, or 0/0, or a bin of another block's histogram
                assert text in ("0", ""), (key, text)
EOF
for name in "${files[@]}"; do
    check "$name: JSON, JSON lines and CSV have the same" python3 same.py "$name"
done
ends() { python3 -c 'import json, sys; print(*[block["finalTick"] for block in json.load(open(sys.argv[1]))])' "$1"; }
last=$(python3 -c 'import json; print(json.load(open("one.json"))["finalTick"])')
check 'blocks end at multiples of the interval' test "$(ends series.json)" = "20000000 40000000 60000000 $last"
check 'an interval longer than the run: one block' test "$(ends short.json)" = "$last"
check 'the last block is the whole run' python3 -c 'import json
assert json.load(open("series.json"))[-1] == json.load(open("one.json")) == json.load(open("short.json"))[0]'
check 'no block of the warm-up' python3 -c 'import json
blocks = json.load(open("cores.json"))
assert len(blocks) > 1 and all(block["simTicks"] < block["finalTick"] for block in blocks), blocks
assert len({block["finalTick"] - block["simTicks"] for block in blocks}) == 1'
check 'a run that ends with an interval has no block twice' eval "'$RUBATO' replay wide '$traces/triad' --no-cache --quiet --until 40us \
    --interval 20us --stats even.json && test \"\$(ends even.json)\" = '20000000 40000000'"
check 'names of gem5, numbers of stats.txt' eval "'$RUBATO' replay wide '$traces/triad' --no-cache --quiet --stats - >text &&
    awk '/^system.cpu.cpi |^finalTick/ { print \$1, \$2 }' text | python3 -c '
import json, sys
one = json.load(open(\"one.json\"))
lines = [line.split() for line in sys.stdin]
assert lines and all(abs(one[name] - float(value)) < 1e-5 for name, value in lines), lines'"

# ---- readers take them
check 'diff reads a series' eval "'$RUBATO' diff series.json one.json >diffed && grep -q '^time_ms' diffed"
check 'diff reads JSON lines' eval "'$RUBATO' diff series.jsonl one.json >diffed && grep -q '^time_ms' diffed"
check 'diff reads those of a GPU' eval "'$RUBATO' diff gpu.json gpu.json >diffed && grep -q '^time_ms' diffed"

# ---- names that mislead
wide() { refused "$1" "$2" "$RUBATO" replay wide "$traces/triad" --no-cache --quiet "${@:3}"; }
wide 'an unknown ending' 'x\.png: ends in \.png, but the output is statistics; .*txt json jsonl csv' --stats x.png
wide 'another ending' 'x\.parkay: ends in' --stats x.parkay
wide 'a compressed one' 'x\.json\.gz: .*not compressed; leave \.gz out' --stats x.json.gz
wide 'tabs of a GPU' 'x\.tsv: tables in tabs are the statistics of a GPU alone' --stats x.tsv
wide 'an interval without statistics' '--interval is for statistics; give --stats FILE' --interval 10us
wide 'an interval of 0' '--interval 0us .*give a time such as 10us' --interval 0us --stats x.txt
wide 'an interval without unit' '--interval 10 has no unit' --interval 10 --stats x.txt
wide 'standard output twice' '--stats - is given twice' --stats - --stats -
wide 'a folder' 'Is a directory|folder' --stats .
wide 'a folder that is not there' 'No such file' --stats no/x.json
wide 'a summary as text' 'x\.txt: ends in \.txt, but the output is JSON; name it x\.json' --summary x.txt
wide 'a log as CSV' 'x\.csv: ends in \.csv, but the output is the event log; name it x\.txt' --log x.csv
wide 'a recording as JSON' 'x\.json: .* a recording; leave \.json out' --record x.json
refused 'a plot as PNG' 'x\.png: ends in \.png, but the output is an SVG; name it x\.svg' "$RUBATO" traffic default --plot x.png
refused 'a page as PDF' 'x\.pdf: .*an HTML page; give a name that ends in one of: html htm' "$RUBATO" report none.db -o x.pdf
refused 'a recording as HTML' 'x\.html: .*CSV; name it x\.csv' "$RUBATO" export none.rec --csv x.html
refused 'results as YAML' 'x\.yaml: .*an SQLite file' "$RUBATO" sweep "$OLDPWD/configs/sweep/first.yaml" -o x.yaml
check 'nothing is left of them' test -z "$(find . -name 'x.*')"
for name in ONE.JSON .hidden plain v1.2 dir.png/plain; do
    mkdir -p dir.png
    check "the name $name is fine" "$RUBATO" replay wide "$traces/triad" --no-cache --quiet --until 1us --stats "$name"
done
check 'an ending in capitals' grep -q '^{' ONE.JSON
mkfifo pipe
cat pipe >through &
"$RUBATO" replay wide "$traces/triad" --no-cache --quiet --until 1us --stats pipe
wait $!
check 'a pipe gets text' grep -q 'Begin Simulation' through
exit $failures
