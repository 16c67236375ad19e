#!/usr/bin/env bash
# Damaged inputs: whatever tests/tools/mutate makes of the bundled samples, each command that reads one ends by itself, in time, with 0,
# 2 or 3 (compare: 1, too); a refusal is lines `rubato: ...` without control characters. MUTANTS is how many runs
# (200), SEED where they begin (1), MUTANT_KINDS a pattern of the kinds of input below. A damage that was found out is
# kept, with the command, in $BUILD/tests/mutants/KIND-SEED.
#     MUTANTS=40000 SEED=7 MUTANT_KINDS='gpu*' bash tests/cli/mutants.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
mutate=$(absolute "$BUILD/tests/tools/mutate") sample=$(absolute "$BUILD/tests/tools/macsim_sample")
kept=$(absolute "$BUILD/tests/mutants") configs=$PWD/configs corpus=$PWD/tests/fuzz/corpus
[ -x "$mutate" ] || { not_ok "there is no $mutate; make tests builds it"; exit 1; }
mutants=${MUTANTS:-200} first=${SEED:-1} longest=${MUTANT_SECONDS:-20}
if nm "$RUBATO" 2>/dev/null | grep -q '__asan_init'; then
    export ASAN_OPTIONS=detect_leaks=0:exitcode=99:allocator_may_return_null=1 UBSAN_OPTIONS=exitcode=99
    longest=$((3 * longest))
else
    ulimit -v 8000000 -c 0
fi

# ---- the inputs: a folder a kind, the files in it that are damaged, the commands that read it ({}: the damaged file)
kinds=()
declare -A files commands
kind() {    # NAME FILES COMMAND...
    # shellcheck disable=SC2053
    [[ $1 == ${MUTANT_KINDS:-*} ]] || return 0
    kinds+=("$1")
    files[$1]=$2
    commands[$1]=$(printf '%s\n' "${@:3}")
}
cd "$WORK" || exit 1
mkdir whole && cd whole || exit 1
triad=$TRACES/triad

mkdir elastic packed store text text-dump gpu gpu-raw threads insn config config-gpu import spec results recording stats table requests
"$RUBATO" trace cut "$TRACES/qsort" --records 0:2000 -o packed >/dev/null || not_ok 'a cut'
for part in deptrace fetchtrace; do gzip -dc packed/$part.proto.gz >elastic/$part.proto; done
kind elastic 'deptrace.proto fetchtrace.proto' 'trace info {}' 'trace dump {} --records 0:200' 'trace cut . --records 0:100 -o out' \
    'replay default . --no-cache --records 500 --quiet --stats s.json' 'trace pack . -o t.pack'
kind packed 'deptrace.proto.gz fetchtrace.proto.gz' 'trace info {}' 'replay wide . --no-cache --records 500' 'trace pack . -o t.pack'
"$RUBATO" trace pack packed -o store/small.pack --quiet || not_ok 'a store'
kind store small.pack 'trace info {}' 'trace verify {}' 'trace dump {} --records 0:100' 'replay default {} --records 500'
"$RUBATO" trace dump "$TRACES/qsort/deptrace.proto.gz" --records 0:60 >text/dep.txt
"$RUBATO" trace dump "$TRACES/qsort/fetchtrace.proto.gz" --records 0:60 --gem5 >text/fetch.txt
kind text 'dep.txt fetch.txt' 'trace build {} -o t.proto' 'trace build {} -o -'
cp "$TRACES/gpu/pascal-vectoradd-100"/kernel* gpu
kind gpu 'kernelslist.g kernel-1.traceg' 'trace info .' 'trace dump . --records 0:50' 'replay titanx .' 'trace pack . -o t.pack'
cp "$TRACES/gpu-raw/kernel-266.trace" gpu-raw && echo kernel-266.trace >gpu-raw/kernelslist
kind gpu-raw 'kernelslist kernel-266.trace' 'trace info .' 'trace group . -o out' 'replay r9nano .'
"$sample" threads random 1 >/dev/null
# shellcheck disable=SC2012
kind threads "$(ls threads | tr '\n' ' ')" 'trace info .' 'replay default . --records 500' 'trace convert . -o out' 'trace pack . -o t.pack'
cp "$corpus"/insn/* insn
# shellcheck disable=SC2012
kind insn "$(ls insn | tr '\n' ' ')" 'trace info {}' 'trace dump {} --records 0:50'
cp "$configs"/*.yaml config
rm config/hetero.yaml config/macsim-hetero*
# shellcheck disable=SC2012
kind config "$(ls config | tr '\n' ' ')" 'config show {}' "replay {} $triad --no-cache --records 100" 'traffic {} --rate 1GB/s --requests 500'
cp "$configs"/hetero.yaml "$configs"/gpu/{titanx,qv100,h100-accelsim}.yaml config-gpu
kind config-gpu 'hetero.yaml titanx.yaml qv100.yaml h100-accelsim.yaml' 'config show {}' \
    "replay {} $TRACES/gpu/pascal-vectoradd-100"
cp "$corpus"/import/card* import
kind import 'card card-and-trace' 'config import {}' 'config import {} -o system.yaml'
sed "s|^traces:.*|traces: [{name: triad, traces: $triad}]|" >spec/spec.yaml <<YAML
system: default
traces: []
set: {l2.size: 512KiB}
axes:
  l1d.mshrs: [2, 4]
  l2.assoc: {from: 4, to: 8, times: 2}
where: l1d.mshrs < l2.assoc
records: 200
YAML
(cd spec && "$RUBATO" sweep spec.yaml --dry-run >/dev/null 2>&1) || sed -i '/^where/d' spec/spec.yaml
kind spec spec.yaml 'sweep {} --dry-run' 'sweep {} --dry-run --on slurm'
cp spec/spec.yaml results
(cd results && "$RUBATO" sweep spec.yaml -j 1 -o r.db >/dev/null 2>&1) || not_ok 'a sweep'
kind results r.db 'results {}' 'results {} --check' "results {} --csv --where 'l1d.mshrs > 2'" 'results {} -o a.parquet' 'report {} -o page.html' 'sweep spec.yaml -j 1 -o {} --retry'
"$RUBATO" replay wide "$triad" --no-cache --quiet --records 2000 --every 200ns --requests --record recording/r.samples || not_ok 'a recording'
kind recording r.samples 'export {} --csv a.csv' 'export {} --perfetto a.perfetto' 'export {} --parquet a.parquet' 'view {} --view text'
for side in detailed replay; do
    "$RUBATO" replay wide "$triad" --no-cache --quiet --records 300 --stats stats/triad.wide.$side.txt
    "$RUBATO" replay wide "$triad" --no-cache --quiet --records 300 --stats stats/gups.wide.$side.json
done
ticks=$(awk '$1 == "finalTick" { print $2 }' stats/triad.wide.replay.txt)
printf '%s\t%s\t%s\t%s\n' program system detailed_ticks replay_ticks triad wide "$ticks" "$ticks" gups wide "$ticks" "$ticks" >stats/table.tsv
# shellcheck disable=SC2012
kind stats "$(ls stats | tr '\n' ' ')" 'compare .' 'compare . --tsv'
printf '0x%x %s\n' 64 R 128 W 4096 READ 65536 write 1048576 r >requests/requests.txt
kind requests requests.txt 'traffic wide --trace {} --rate 1GB/s' 'traffic wide --trace {} --outstanding 4'
cd "$WORK" || exit 1

# ---- the kept corpus of fuzzing is read: of the versions that are
readable() {    # COMMAND..., a file last
    "$RUBATO" "$@" >stdout 2>stderr </dev/null || ! grep 'version' stderr
}
for store in "$corpus"/store/* "$corpus"/gpu_store/* "$corpus"/macsim_pack/*; do check "corpus: ${store#"$corpus"/}" readable trace info "$store"; done
check 'corpus: results' readable results "$corpus"/results/failed-points
check 'corpus: recording' readable export --csv /dev/null "$corpus"/recording/triad

# ---- the runs
# Prints the fault of a run, or nothing.
judge() {    # CODE COMMAND
    case $1:$2 in
        [023]:* | 1:compare*) ;;
        124:*) echo "does not end in $longest s" ;;
        *) echo "exit code $1" ;;
    esac
    case $1 in
        [23]) LC_ALL=C grep -q '^rubato: ' stderr || echo 'says nothing' ;;
    esac
    grep -E 'Sanitizer|runtime error|Assertion' stderr | head -n 1
    LC_ALL=C grep -q "$control" stderr && echo 'control characters on standard error'
}
control=$(printf '[\001-\010\013-\037\177]')

runs=0 bad=0 refused=0
for ((seed = first; runs < mutants && ${#kinds[@]} > 0; seed++)); do
    kind=${kinds[seed % ${#kinds[@]}]}
    read -ra names <<<"${files[$kind]}"
    name=${names[seed / ${#kinds[@]} % ${#names[@]}]}
    rm -rf damaged
    cp -R "whole/$kind" damaged
    damage=$("$mutate" "$seed" "whole/$kind/$name" "damaged/$name") || not_ok "mutate $seed $name"
    while read -r command; do
        runs=$((runs + 1))
        eval "arguments=(${command//\{\}/$name})"
        (cd damaged && exec timeout "$longest" "$RUBATO" "${arguments[@]}" </dev/null) >stdout 2>stderr
        code=$?
        [ "$code" = 0 ] || refused=$((refused + 1))
        found=$(judge "$code" "$command")
        [ -n "$found" ] || continue
        bad=$((bad + 1))
        mkdir -p "$kept/$kind-$seed"
        cp damaged/"$name" stderr "$kept/$kind-$seed"
        echo "rubato $command" >"$kept/$kind-$seed/command"
        echo "    $kind-$seed ($name: $damage): rubato ${command//\{\}/$name}:" $found
    done <<<"${commands[$kind]}"
done
check "${#kinds[@]} kinds of input, $runs runs of damaged ones, $refused refused" test $bad = 0
check 'some are refused, some are not' test $((runs < 100 || (refused * 20 > runs && refused < runs))) = 1
exit $failures
