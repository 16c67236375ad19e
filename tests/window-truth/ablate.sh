#!/usr/bin/env bash
# What each rule of --model window is worth: ablate.sh --keep DIR [--rule NAME]... [options of pairs.sh] [PROGRAM.c...]
# Takes one rule of ablations.tsv after the other out of a copy of the sources, builds that, and measures it with pairs.sh. Each row
# there has one text of a file, which must occur once, and what replaces it; the first line is of the rules as they are.
# A line a rule: the mean error of pairs without it, how much that is above the first line's (worth), the signed mean, the worst, and
# on how many pairs it changes the time by 0.01 % at least. Without --half it is the unseen half.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

table=tests/window-truth/ablations.tsv rules=() options=() half=unseen
while [ $# -gt 0 ]; do
    case $1 in
    --rule) rules+=("$2") && shift 2 ;;
    --half) half=$2 && shift 2 ;;
    --by-pc) echo "ablate.sh: --by-pc is of pairs.sh alone; leave it out" >&2; exit 2 ;;
    --*) options+=("$1" "$2") && shift 2 ;;
    *) break ;;
    esac
done
[[ " ${options[*]-} " == *" --keep "* ]] || { echo "ablate.sh: --keep DIR is missing: traces are made once for all rules" >&2; exit 2; }
for rule in ${rules[@]+"${rules[@]}"}; do
    cut -f1 $table | grep -qxF -- "$rule" || { echo "ablate.sh: --rule $rule: $table has no such rule" >&2; exit 2; }
done

tree=$WORK/tree
mkdir "$tree" && cp -a Makefile base proto memsys replay sweep viz cli include configs docs "$tree" &&
    mkdir "$tree/tests" && cp -a tests/tools tests/support tests/unit "$tree/tests" || exit 1

# replace FILE FROM TO: the one place of FILE that has FROM
replace() {
    FROM=$2 TO=$3 awk '
        { at = index($0, ENVIRON["FROM"])
          if (at) { found++; $0 = substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"])) }
          print }
        END { exit found != 1 }' "$1" >"$1.new" && mv "$1.new" "$1"
}

build() { make -s -C "$tree" -j2 rubato >"$WORK/make.log" 2>&1 || { tail -5 "$WORK/make.log" >&2; return 1; }; }

# measure NAME [PROGRAM.c...]: its line
measure() {
    RUBATO=$tree/rubato tests/window-truth/pairs.sh --half "$half" "${options[@]}" "${@:2}" >"$WORK/$1.txt" || return 1
    awk -F'\t' -v name="$1" '
        NF >= 6 && $4 ~ /^[+-]/ {
            count++; of[$2, $3] = $4; size = $4 < 0 ? -$4 : $4; sum += size; signed += $4
            if (size > worst) { worst = size; which = $4 " (" $2 ")" }
            if (FILENAME == ARGV[1]) before[$2, $3] = $4
            else changed += before[$2, $3] != $4
        }
        FILENAME == ARGV[1] && FNR > 1 && NF < 6 && !first { first = sum / count }
        FILENAME != ARGV[1] && FNR == 1 { count = sum = signed = worst = 0 }
        END { printf("%s\t%.2f\t%+.2f\t%+.2f\t%s\t%d\n", name, sum / count, sum / count - first, signed / count, which, changed) }
        ' "$WORK/all.txt" "$WORK/$1.txt"
}

printf 'without\tmean\tworth\tsigned\tworst\tchanged\n'
build && measure all "$@" || exit 1
while IFS=$'\t' read -r name file from to <&3; do
    [ "$name" = rule ] && continue
    [ ${#rules[@]} -eq 0 ] || [[ " ${rules[*]} " == *" $name "* ]] || continue
    cp -a "$tree/$file" "$WORK/whole"
    replace "$tree/$file" "$from" "$to" || { echo "ablate.sh: $table, $name: $file must have its text once: $from" >&2; exit 1; }
    build && measure "$name" "$@" || exit 1
    cp "$WORK/whole" "$tree/$file"
done 3<$table
