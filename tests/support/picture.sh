#!/usr/bin/env bash
# picture.sh FILE.svg: the README's picture, where the cycles of the long cut of gups go as the L1D gets more MSHRs.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
need_rubato

for mshrs in 1 2 4 8 16 32; do
    "$RUBATO" replay wide tests/traces/long/gups.pack --set l1d.mshrs=$mshrs --quiet --stats "$WORK/stats.json"
    sed -n "s/^.*\"system\.cpu\.\(cpiStack::\)\{0,1\}\([a-zA-Z_]*\)\": \([0-9.]*\),*$/$mshrs \2 \3/p" "$WORK/stats.json"
done | awk '
    BEGIN {
        parts = split("working dependences rob load_buffer store_buffer blocked_cache", part)
        split("working|dependences|ROB full|load buffer full|store buffer full|L1D blocked", label, "|")
        split("#4c78a8 #72b7b2 #eeca3b #b279a2 #9d755d #e45756", colour)
    }
    { value[$1, $2] = $3; if ($1 != last) order[++rows] = last = $1 }
    END {
        left = 110; right = 620; top = 84; step = 34; bar = 22
        for (p = 1; p <= parts; p++) widest += value[order[1], part[p]]
        widest /= value[order[1], "numOps"]
        height = top + rows * step + 20
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", height
        printf "<rect width=\"720\" height=\"%d\" fill=\"#ffffff\"/>\n", height
        print "<text x=\"16\" y=\"26\" font-size=\"16\">gups: cycles a micro-op, by the number of misses that the L1D can have outstanding</text>"
        for (p = 1; p <= parts; p++) {
            used = 0
            for (r = 1; r <= rows; r++) used += value[order[r], part[p]]
            if (used == 0) continue
            printf "<rect x=\"%d\" y=\"44\" width=\"13\" height=\"13\" fill=\"%s\"/><text x=\"%d\" y=\"55\">%s</text>\n", x + 16, colour[p], x + 34, label[p]
            x += 34 + 8 * length(label[p])
        }
        for (r = 1; r <= rows; r++) {
            y = top + (r - 1) * step; sum = 0
            printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d MSHR%s</text>\n", left - 8, y + 16, order[r], order[r] == 1 ? "" : "s"
            for (p = 1; p <= parts; p++) {
                cpi = value[order[r], part[p]] / value[order[r], "numOps"]
                if (cpi > 0)
                    printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", left + sum * (right - left) / widest, y, cpi * (right - left) / widest, bar, colour[p]
                sum += cpi
            }
            printf "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n", left + sum * (right - left) / widest + 6, y + 16, sum
        }
        print "</svg>"
    }' >"$WORK/picture.svg"
[ "$(grep -c MSHR "$WORK/picture.svg")" = 6 ]
cp "$WORK/picture.svg" "$1"
