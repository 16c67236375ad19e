#!/usr/bin/env bash
# Speed of GPU runs. gpu.sh [--json FILE] [SET...]: for each folder of GPU traces warp instructions a second, from the text and
# from a store, and the most memory that was resident, beside Accel-Sim's. Time is user time of the process on one core, the least of
# RUNS (3) runs that alternate. Without SETs: those for which Accel-Sim's figures are known, on the systems that mimic how it was
# run, if they are in $SHARED/traces/gpu; else a bundled one, which is short, so that start-up counts.
# FILE: the sets as a JSON object, indented to be a member of tests/bench/programs.sh's. The goal, 250 thousand, is of turing-2stream from text.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

json=
if [ "${1:-}" = --json ]; then json=$2 && shift 2; fi
runs=${RUNS:-3}
goal=250

fail() { echo "gpu.sh: $*" >&2; exit 1; }

# set, system, Accel-Sim's thousand warp instructions a second of user time, least and most of its runs, and peak in MB
known() {
    cat <<'KNOWN'
turing-2stream rtx2060-accelsim 18.4 21.5 171
volta-bfs qv100-accelsim 8.4 8.6 354
KNOWN
}
known_of() { known | awk -v name="$1" -v column="$2" '$1 == name { print $column }'; }
system_of() {    # SET
    local system
    system=$(known_of "$1" 2)
    case ${system:-$1} in
        *-accelsim) echo "$system" ;;
        pascal-*) echo titanx-accelsim ;;
        turing-*) echo rtx2060-accelsim ;;
        a100-*) echo a100-accelsim ;;
        h100-*) echo h100-accelsim ;;
        gcn3-*) echo r9nano ;;
        *) echo qv100-accelsim ;;
    esac
}

sets=("$@")
if [ ${#sets[@]} = 0 ]; then
    while read -r name _; do
        [ -d "$SHARED/traces/gpu/$name" ] && sets+=("$SHARED/traces/gpu/$name")
    done < <(known)
    [ ${#sets[@]} -gt 0 ] || sets=(tests/traces/gpu/gcn3-fir)
fi

# One core: the last that we may use.
pin=()
if core=$(taskset -pc $$ 2>/dev/null) && core=${core##*[ ,-]}; then pin=(taskset -c "$core"); fi

TIMEFORMAT=%U
measure() {    # SYSTEM LIST: prints user seconds and MB
    local user
    user=$({ time "${pin[@]}" "$BUILD/tests/tools/measure" "$WORK/cost" "$RUBATO" replay "configs/gpu/$1.yaml" "$2" --quiet \
        >"$WORK/output" 2>&1; } 2>&1) || { cat "$WORK/output" >&2; return 1; }
    awk -v user="$user" '{ print user, $3 * 1024 / 1e6 }' "$WORK/cost"
}
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a ? b : a) }'; }
most() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b > a ? b : a) }'; }

# A line: set, system, warp instructions, seconds and MB of a run from text, then from a store.
measure_set() {    # FOLDER
    local name=${1%/} system insts seconds mb text='' text_mb='' stored='' stored_mb=''
    name=${name##*/}
    system=$(system_of "$name")
    "$RUBATO" trace pack "$1" -o "$WORK/store" --quiet >"$WORK/output" 2>&1 || { cat "$WORK/output" >&2; return 1; }
    "$RUBATO" replay "configs/gpu/$system.yaml" "$WORK/store" --quiet --stats "$WORK/stats.tsv" >"$WORK/output" 2>&1 ||
        { cat "$WORK/output" >&2; return 1; }
    insts=$(awk -F'\t' '$1 == "#kernel" { for (i = 1; i <= NF; i++) if ($i == "warp_insts") column = i }
        $1 == "kernel" { sum += $column } END { printf "%d", sum }' "$WORK/stats.tsv")
    for ((run = 0; run < runs; run++)); do
        read -r seconds mb < <(measure "$system" "$1") || return 1
        text=$(least "$text" "$seconds") text_mb=$(most "$text_mb" "$mb")
        read -r seconds mb < <(measure "$system" "$WORK/store") || return 1
        stored=$(least "$stored" "$seconds") stored_mb=$(most "$stored_mb" "$mb")
    done
    echo "$name $system $insts $text $text_mb $stored $stored_mb $(known_of "$name" 3) $(known_of "$name" 4) $(known_of "$name" 5)"
}

for folder in "${sets[@]}"; do
    measure_set "$folder" </dev/null || fail "$folder cannot be measured"
done >"$WORK/rows" || exit 1

printf '%-20s %11s   %27s   %17s   %17s\n' '' '' 'thousand warp insts/s of user' 'resident MB' 'Accel-Sim'
printf '%-20s %11s   %8s %8s %11s   %8s %8s   %11s %5s\n' set 'warp insts' text store goal text store thousand/s MB
awk -v goal="$goal" 'function rate(s) { return $3 / (s > 0 ? s : 0.001) / 1000 }
    { printf "%-20s %11d   %8.0f %8.0f %11s   %8.1f %8.1f   %11s %5s\n", $1, $3, rate($4), rate($6),
        $1 == "turing-2stream" ? goal : "-", $5, $7, (NF > 7 ? $8 "-" $9 : "-"), (NF > 7 ? $10 : "-") }' "$WORK/rows"

[ -n "$json" ] || exit 0
sort "$WORK/rows" | awk 'function rate(s) { return $3 / (s > 0 ? s : 0.001) }
    BEGIN { print "{" }
    { printf "%s    \"%s\": {\n", (NR == 1 ? "" : ",\n"), $1
      if (NF > 7)
          printf "      \"accelsim_mb\": %s,\n      \"accelsim_warp_insts_per_s\": [%d, %d],\n", $10, 1000 * $8, 1000 * $9
      printf "      \"store_mb\": %.1f,\n      \"store_user_s\": %.3f,\n      \"store_warp_insts_per_s\": %.0f,\n", $7, $6, rate($6)
      printf "      \"system\": \"%s\",\n", $2
      printf "      \"text_mb\": %.1f,\n      \"text_user_s\": %.3f,\n      \"text_warp_insts_per_s\": %.0f,\n", $5, $4, rate($4)
      printf "      \"warp_insts\": %d\n    }", $3 }
    END { print "\n  }" }' >"$json" || fail "$json cannot be written"
