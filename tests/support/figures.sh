# Figures of documents (docs/figures.tsv), for tests that measure some of them and for `make figures`; source it behind shell.sh.

# figures_of SOURCE FILE: the lines `value NAME NUMBER` and `worst NAME NUMBER ...`, parted by tabs, that a test printed are the figures
# SOURCE.NAME and SOURCE.NAME.worst, how many lines of a kind there are is SOURCE.count.KIND; errors of runs of GCN3, SOURCE.gcn3.PROGRAM; of tests/gpu-timing
# the mean error of a run, SOURCE.run.SET.VARIANT, of a micro trace, with its sign, SOURCE.micro.NAME.CONFIG, and of the kernels of all runs of
# a card SOURCE.card.CARD.{kernels,mean,worst}; of tests/o3-timing also mean errors of
# systems, SOURCE.cycles.SYSTEM, how many are equal, SOURCE.equal, and what lines `probe` have, SOURCE.probe.PROGRAM.... Those that docs/figures.tsv has must
# be these. FIGURES_TO=FILE: they are written there instead.
figures_of() {
    awk -F '\t' -v source="$1" '
        $1 == "value" && split($3, parts, "/") == 2 { print source "." $2 "\t" parts[1] "\n" source "." $2 ".of\t" parts[2]; next }
        $1 == "value" { print source "." $2 "\t" $3 }
        $1 == "worst" { print source "." $2 ".worst\t" $3 }
        $1 == "run" && $4 == "cycles" && $5 > 0 { error[$3] += $6 > $5 ? $6 / $5 - 1 : 1 - $6 / $5; runs[$3]++ }
        $1 == "run" && $4 == "cycles" && $5 == $6 { equal++ }
        $1 == "probe" {
            from = source ".probe." $2
            print from ".records\t" $5 "\n" from ".ours\t" $6 "\n" from ".equal\t" $8 "\n" from ".delays\t" $10
            print from ".replays\t" $18 "\n" from ".replays-worst\t" $19
            replays += $18; probes++; if ($19 > most) most = $19
        }
        $1 == "run" && $4 == "kernels" { print source ".run." $2 "." $3 "\t" $11 }
        $1 == "micro" && $4 > 0 { printf "%s.micro.%s.%s\t%.1f\n", source, $2, tolower($3), 100 * ($5 / $4 - 1) }
        $1 == "kernel" && $5 == "cycles" && $6 > 0 {
            card = substr($2, 1, index($2, "-") - 1)
            card = $3 == "rtx3070" ? $3 : card == "volta" ? "qv100" : card == "turing" ? "rtx2060" : card == "pascal" ? "titanx" : card
            one = 100 * ($7 > $6 ? $7 / $6 - 1 : 1 - $7 / $6)
            cards[card] += one; kernels[card]++; if (one > card_worst[card]) card_worst[card] = one
        }
        $1 == "gcn3" && $3 > 0 { sub(/^gcn3-/, "", $2); printf "%s.gcn3.%s\t%.3f\n", source, $2, 100 * ($4 / $3 - 1) }
        { count[$1]++ }
        END {
            for (place in runs) printf "%s.cycles.%s\t%.4f\n", source, place, 100 * error[place] / runs[place]
            for (card in cards)
                printf "%s.card.%s.mean\t%.3f\n%s.card.%s.worst\t%.3f\n%s.card.%s.kernels\t%d\n", source, card,
                    cards[card] / kernels[card], source, card, card_worst[card], source, card, kernels[card]
            if (equal) print source ".equal\t" equal
            if (probes) printf "%s.probe.replays\t%.3f\n%s.probe.replays-worst\t%.3f\n", source, replays / probes, source, most
            for (kind in count) if (kind ~ /^[a-z0-9]+$/) print source ".count." kind "\t" count[kind]
        }' "$2" | figures_are "$1"
}

# The same of lines KEY, tab, VALUE on standard input; only keys that docs/figures.tsv has count.
figures_are() {    # NAME of what measured them
    if [ -n "${FIGURES_TO:-}" ]; then
        cat >>"$FIGURES_TO"
        return
    fi
    local other
    other=$(awk -F '\t' 'NR == FNR { if (!/^#/) kept[$1] = $2; next }
        $1 in kept && kept[$1] != $2 { print $1 " is " $2 ", documents say " kept[$1] }' docs/figures.tsv -)
    if [ -z "$other" ]; then ok "documents have the figures of $1"; else
        not_ok "documents have the figures of $1; \`make figures\` writes them anew"
        printf '%s\n' "$other" | sed 's/^/    /'
    fi
}

# pairs_of SOURCE FILE: lines of `rubato compare --tsv`: errors with their signs as SOURCE.PROGRAM.SYSTEM, and the means.
pairs_of() {
    { awk -F '\t' -v source="$1" -v OFS='\t' 'NF == 10 { printf "%s.%s.%s\t%.2f\n", source, $1, $2, 100 * ($5 / $3 - 1) }
        $1 == "value" { is_all = 1; print source "." $2, $3 }
        NF == 10 { e = 100 * ($5 / $3 - 1); e = e < 0 ? -e : e; if (e > worst) worst = e }
        END { if (is_all) printf "%s.worst\t%.1f\n", source, worst }' "$2"; } | figures_are "$1"
}

# What the commands of quick figures are made of.
rubato() { "$RUBATO" "$@"; }
ticks_of() { "$RUBATO" replay "$@" --no-cache 2>/dev/null | awk '/^time / { sub(/\(/, "", $4); print $4 }'; }
# ratio 'SYSTEM TRACE OPTION...' 'SYSTEM TRACE OPTION...': time of the first over that of the second
# shellcheck disable=SC2086
ratio() { awk -v a="$(ticks_of $1)" -v b="$(ticks_of $2)" 'BEGIN { printf "%.4f\n", a / b }'; }
# window_error TRACE: an elastic trace from the probe, on the detailed core's window, beside the instruction trace: percent
window_error() {
    "$RUBATO" trace elastic detailed/base "$1" -o "$WORK/probed" --quiet
    awk -v a="$(ticks_of detailed/base "$WORK/probed" --model window)" -v b="$(ticks_of detailed/base "$1" --model detailed)" \
        'BEGIN { printf "%.2f\n", 100 * (a / b - 1) }'
    rm -r "$WORK/probed"
}
# constant FILE REGEX: what the brackets of the regular expression find in a source
constant() { sed -nE "s|.*$2.*|\1|p" "$1" | head -n 1; }
