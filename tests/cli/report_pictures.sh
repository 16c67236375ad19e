#!/usr/bin/env bash
# The golden pictures of the report: what a browser shows of a page, looked at by eye, kept in tests/golden/report, drawn again and
# compared pixel by pixel. report_pictures.sh write (make golden-report) draws them anew; look at each before it is committed.
#
# Letters and lines are the browser's and its fonts': with those listed in drawn-with, at most 0.2 % of the pixels may
# differ (one mark of a chart that moves is more, see the end); with others nothing can be compared, and the pictures
# are skipped.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

pictures=tests/golden/report
compare=$BUILD/tests/tools/png_compare
width=1100 height=1400
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    [ "${1:-}" != write ] || { echo 'no chromium is installed' >&2; exit 1; }
    skip 'golden pictures of the report (6): no browser is installed'
    exit $failures
fi

# The kind of machine, the browser, and the fonts that it takes.
drawn_with() {
    uname -m
    "$browser" --version 2>/dev/null | grep -o '[0-9][0-9.]*' | head -n 1
    fc-match -f '%{family} %{fontversion}\n' sans-serif
    fc-match -f '%{family} %{fontversion}\n' system-ui
}

mkdir "$WORK/sweeps"
cat >"$WORK/sweeps/cpu.yaml" <<EOF_SWEEP
system: $PWD/configs/wide.yaml
traces: [$TRACES/gups, $TRACES/triad]
axes:
  l1d.mshrs: [2, 4, 8, 16]
  memory.device: [DDR3_1600_8x8, DDR5_6400_4x8]
  l2.prefetcher: [none, stride, stream]
EOF_SWEEP
printf 'system: [qv100, titanx, rtx3070]\ntraces: %s\naxes: {gpu.l2.ways: [8, base], gpu.launch_latency: [100, 1000]}\n' \
    "$TRACES/gpu/volta-bfs-2blocks" >"$WORK/sweeps/gpu.yaml"
for sweep in cpu gpu; do
    (cd "$WORK" && "$RUBATO" sweep "sweeps/$sweep.yaml" -o $sweep.db && "$RUBATO" report $sweep.db -o $sweep.html) >"$WORK/out" 2>&1 \
        || { cat "$WORK/out" >&2; exit 1; }
done

# name, page, preparation: 'still': no script at all; else a script. from: the sections before that heading are not
# there.
from='h => { const all = [...document.querySelectorAll("section")]; all.slice(0, all.findIndex(s => s.textContent.startsWith(h))).forEach(s => s.remove()); }'
all="points cpu
brushed cpu explorer.parallel.chart.dispatchAction({type: \"axisAreaSelect\", parallelAxisId: \"axis0\", intervals: [[1.6, 3.4]]});
axes cpu ($from)(\"Effect of each\");
chosen cpu ($from)(\"What bounds\");
dark gpu document.getElementById(\"theme\").click();
still cpu still"

draw() {    # FILE PAGE SCRIPT
    if [ "$3" = still ]; then
        sed '/^<script/,/<\/script>$/d' "$WORK/$2.html" >"$WORK/page.html"
    else
        { head -n -2 "$WORK/$2.html"; printf '<script>document.querySelector(".sticky").style.position = "static"; %s</script>\n</body>\n</html>\n' "$3"; } \
            >"$WORK/page.html"
    fi
    rm -f "$1"
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --user-data-dir="$WORK/browser" \
        --window-size=$width,$height --screenshot="$1" "file://$WORK/page.html" >"$WORK/said" 2>&1
    [ -s "$1" ]
}

if [ "${1:-}" = write ]; then
    mkdir -p "$pictures"
    while read -r name page script; do
        draw "$PWD/$pictures/$name.png" "$page" "$script" || { cat "$WORK/said" >&2; exit 1; }
    done <<<"$all"
    drawn_with >"$pictures/drawn-with"
    ls -l "$pictures"
    exit 0
fi

if [ "$(drawn_with)" != "$(cat "$pictures/drawn-with")" ]; then
    skip "golden pictures of the report (6): this browser is $(drawn_with | paste -sd ' '), theirs was $(paste -sd ' ' "$pictures/drawn-with")"
    exit $failures
fi
most=$((width * height * 2 / 1000))
while read -r name page script; do
    if draw "$WORK/$name.png" "$page" "$script" && "$compare" "$pictures/$name.png" "$WORK/$name.png" $most >"$WORK/compared" 2>&1; then
        ok "the report's picture $name"
    else
        not_ok "the report's picture $name"
        sed 's/^/    /' "$WORK/said" "$WORK/compared"
    fi
done <<<"$all"

# What may differ must not be anything: one more chosen point is seen.
draw "$WORK/other.png" cpu 'choose(points[5]);'
check 'one more chosen point is another picture' test "$("$compare" "$pictures/points.png" "$WORK/other.png" $most >"$WORK/compared" 2>&1; echo $?)" = 1
sed 's/^/    /' "$WORK/compared"
exit $failures
