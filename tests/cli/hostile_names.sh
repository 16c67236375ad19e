#!/usr/bin/env bash
# Names in traces, files, configurations and arguments that steer a terminal (escape sequences, C1 controls, new lines, changes of the
# direction of writing) are printed escaped by all commands on both outputs; JSON and CSV are not changed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
traces=$PWD/tests/traces configs=$PWD/configs
sample=$BUILD/tests/tools/macsim_sample
case $sample in /*) ;; *) sample=$PWD/$sample ;; esac
cd "$WORK" || exit 1

evil=$'a\e[31m\e]0;owned\a\xc2\x9b1m\x9b\xe2\x80\xaeb'
mkdir "$evil" gpu threads
cp "$traces"/triad/* "$evil"
cp "$traces"/gpu/volta-bfs-2blocks/* gpu
gzip -dc gpu/kernel-3.traceg.gz | sed "s/^-kernel name = .*/-kernel name = $evil/; s/^-nvbit version = .*/-nvbit version = $evil/
s/^-accelsim tracer version = .*/&\n-more $evil = $evil/" >"gpu/$evil.traceg"
sed "s/kernel-3.traceg.gz/$evil.traceg/" -i gpu/kernelslist.g
"$sample" threads threads >/dev/null && mv threads "t$evil"
sed "s/^/# /; 1i name: \"$evil\"" "$configs/wide.yaml" >unused.yaml
cp "$configs/wide.yaml" "$evil.yaml"
in_yaml='a\e[31m\e]0;owned\a\x9b1m\u202eb'
printf 'system: %s/default.yaml\ntraces: [{name: "%s", traces: triad}]\naxes: {l2.size: [256KiB, 512KiB]}\n' "$configs" "$in_yaml" >"s$evil.yaml"
ln -s "$evil" triad
printf '%s: 1\n%s: [\n' "$evil" "$evil" >"bad$evil.yaml"
printf '"%s": "%s"\n' "$in_yaml" "$in_yaml" >"key$evil.yaml"
printf 'axes: {"%s": ["%s"]}\nsystem: "%s"\ntraces: [triad]\n' "$in_yaml" "$in_yaml" "$in_yaml" >"bad-sweep$evil.yaml"
head -c 100 "$traces/triad/deptrace.proto.gz" >"cut$evil.gz"

# Steering characters in the output: bytes below a space but new lines and tabs, 127, C1 alone or as UTF-8, marks of
# direction.
steers() { LC_ALL=C grep -qaP -- '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|(?<![\x80-\xff])[\x80-\xbf]' "$@"; }
printed() {    # NAME ARGUMENTS...: nothing that steers; whatever else it does
    local name=$1
    shift
    timeout 60 "$RUBATO" "$@" >stdout 2>stderr </dev/null
    local code=$?
    if [ $code -lt 4 ] && ! steers stdout stderr; then
        ok "$name (exit code $code)"
    else
        not_ok "$name: exit code $code"; head -n 2 stderr | cat -v
        LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|(?<![\x80-\xff])[\x80-\xbf]' stdout stderr | head -n 2 | cut -c 1-200 | cat -v
    fi
}
dep="$evil/deptrace.proto.gz"
"$RUBATO" trace dump "$traces/triad/deptrace.proto.gz" --records 0:500 | sed "1,5s/\(obj_id[^a-zA-Z]*\)[a-z.0-9_]*/\1$evil/" >"text$evil"
printed 'trace build' trace build "text$evil" -o "built$evil.gz"
for file in "$dep" "$evil/fetchtrace.proto.gz" "built$evil.gz" gpu/kernelslist.g gpu "t$evil" "cut$evil.gz" "no$evil"; do
    printed "trace info $(printf %.5q "$file")" trace info "$file"
    printed "trace dump $(printf %.5q "$file")" trace dump "$file" --records 0:3
done
printed 'trace pack' trace pack "$evil" -o "p$evil"
printed 'trace pack of a GPU' trace pack gpu -o "g$evil"
printed 'trace pack of threads' trace pack "t$evil" -o "m$evil"
printed 'trace pack that does not say which' trace pack "t$evil" "x$evil"
for file in "p$evil" "g$evil" "m$evil"; do
    printed "trace info of a store" trace info "$file"
    printed "trace dump of a store" trace dump "$file" --records 0:3
    printed "trace verify" trace verify "$file"
done
printed 'trace convert' trace convert "t$evil" -o "c$evil"
printed 'trace group' trace group gpu -o "grouped$evil"
printed 'trace cut' trace cut "$evil" --records 10:500 -o "cut-$evil"
printed 'config show' config show "$evil.yaml"
printed 'config show: bad' config show "bad$evil.yaml"
printed 'config show: a key' config show "key$evil.yaml"
printed 'config show: --set' config show default --set "$evil=$evil"
printed 'replay' replay "$evil.yaml" "$evil" --record "r$evil" --every 10us --view=text
printed 'replay: a GPU' replay qv100 gpu --view=text
printed 'replay: threads' replay "$evil.yaml" "t$evil"
printed 'replay: no such' replay "$evil" "no$evil" "--$evil"
printed 'replay: no such option' replay "--$evil"
printed 'replay: publish' replay default "$evil" --publish "$evil"
printed 'sweep: points' sweep "s$evil.yaml" -o "d$evil.db" --dry-run
printed 'sweep' sweep "s$evil.yaml" -o "d$evil.db"
printed 'sweep: bad' sweep "bad-sweep$evil.yaml" -o "e$evil.db"
printed 'sweep: slurm' sweep "s$evil.yaml" -o "d$evil.db" --on slurm --partition "$evil"
printed 'results' results "d$evil.db"
printed 'results: a column' results "d$evil.db" --columns "$evil"
printed 'results: a condition' results "d$evil.db" --where "$evil == 3"
printed 'results: check' results "d$evil.db" --check
printed 'results: JSON' results "d$evil.db" --json
printed 'results: a format' results "d$evil.db" --format "$evil"
printed 'results: a file without an ending' results "d$evil.db" -o "$evil"
printed 'results: a file' results "d$evil.db" -o "no$evil/x.parquet"
printed 'report' report "d$evil.db" -o "page$evil.html"
check 'report: nothing that steers in the page' eval 'test -s "page$evil.html" && ! steers "page$evil.html"'
printed 'export' export "r$evil" --csv "csv$evil"
printed 'export: to a terminal' export "r$evil" --csv -
printed 'export: no recording' export "$dep" --csv -
printed 'traffic' traffic "$evil.yaml" --requests 2000 --plot "plot$evil.svg"
check 'traffic: nothing that steers in the plot' eval 'test -s "plot$evil.svg" && ! steers "plot$evil.svg"'
printed 'traffic: a pattern' traffic default --pattern "$evil"
mkdir "table$evil"
printf 'program\tsystem\n%s\t%s\n' "$evil" "$evil" >"table$evil/table.tsv"
printed 'compare' compare "table$evil"
printed 'a command' "$evil"
exit $failures
