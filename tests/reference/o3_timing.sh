#!/usr/bin/env bash
# tests/o3-timing, and tests/tools/stages_compare: their lines, exit codes and refusals on a small reference made here, with a
# stand-in for the command; with $SHARED a part of the recorded runs, and their accuracy.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
. tests/support/figures.sh

oracle=$WORK/oracle traces=$WORK/traces
mkdir "$oracle" "$traces" "$WORK/tmp"
export TMPDIR=$WORK/tmp

# statistics CYCLES MISPREDICTS LOADS: a block as gem5 writes it
statistics() {
    printf '\n---------- Begin Simulation Statistics ----------\n'
    printf '%s %s # (Count)\n' finalTick "$(($1 * 500 - 500))" system.cpu.numCycles "$1" system.cpu.commitStats0.numInsts 1000 \
        system.cpu.commitStats0.numLoadInsts "$3" system.cpu.commitStats0.numStoreInsts 100 \
        system.cpu.commit.branchMispredicts "$2" system.cpu.fetch.cacheLines 50 system.cpu.lsq0.forwLoads 0
    printf '\n---------- End Simulation Statistics   ----------\n'
}

columns='seq\tcommitted\tpc\tmicro_op\tencoding\top_class\tvaddr\tpaddr\tsize\tpredicted_taken\tmispredicted'
columns+='\tfetch\tdecode\trename\tdispatch\tissue\tcomplete\tretire\n'
# listing FIRST DRIFT: five micro-ops, one of them squashed; from the fourth on DRIFT cycles later
listing() {
    # shellcheck disable=SC2059
    printf "$columns"
    awk -v first="$1" -v drift="$2" 'BEGIN { OFS = "\t"
        for (i = 0; i < 5; i++) { f = first + i + (i >= 3 ? drift : 0)
            print i + 1, i != 2, sprintf("%x", 66000 + 2 * i), 0, "1141", 1, "-", "-", "-", 0, 0, f, f + 1, f + 2, f + 4, i == 2 ? "-" : f + 4,
                i == 2 ? "-" : f + 5, f + 7 } }'
}

# The stand-in: answers by system and settings, and records its arguments.
cat >"$WORK/rubato" <<'EOF'
#!/usr/bin/env bash
echo "$*" >>"$STAND_IN/calls"
key=${2#detailed/}.$(basename "${3%.rbt}" .trace.xz)
while [ $# -gt 0 ]; do
    case $1 in
        --set) case $2 in pages.map=*) cp "${2#*=}" "$STAND_IN/map" ;; *) key=$key.$2 ;; esac ;;
        --stats) stats=$2 ;;
        --pipeline) cp "$STAND_IN/listing" "$2" ;;
    esac
    shift
done
[ -f "$STAND_IN/$key" ] || { echo "no answer for $key" >&2; exit 3; }
cp "$STAND_IN/$key" "$stats"
EOF
chmod +x "$WORK/rubato"
export STAND_IN=$WORK/answers
mkdir "$STAND_IN"

# timed NAME EXIT_CODE LAST_LINE ARGUMENTS...
timed() {
    local name=$1 code=$2 last=$3 got
    shift 3
    RUBATO=$WORK/rubato "$O3_TIMING" "$@" >"$WORK/out" 2>"$WORK/messages"
    got=$?
    if [ "$got" = "$code" ] && [ "$(tail -n 1 "$WORK/out")" = "$last" ]; then
        ok "$name"
    else
        not_ok "$name: exit code $got, $(tail -n 1 "$WORK/out")"
        head -n 10 "$WORK/out"
        head -n 10 "$WORK/messages"
    fi
}
has_line() { grep -qE "$1" "$WORK/out"; }
said() { grep -qE -- "$1" "$WORK/messages"; }
called() { grep -qE -- "$1" "$STAND_IN/calls"; }

# reference SYSTEM CYCLES MISPREDICTS; answer KEY CYCLES MISPREDICTS LOADS
reference() { statistics "$2" "$3" 200 | gzip >"$oracle/walk.$1.stats.txt.gz"; }
answer() { statistics "$2" "$3" "$4" >"$STAND_IN/$1"; }

: >"$traces/walk.trace.xz"
printf 'page_size: 0x1000\naddress_mapping { virtual_address: 0x20000 physical_address: 0x10000 }\n' >"$traces/walk.v2p.textproto"
printf '\0\0\1\0\0\0\0\0\4\20\0\0\0\0\0\0%4100s' '' | xz >"$traces/walk.code.xz"    # 4,100 bytes at 0x10000
reference base 10000 100
reference ddr4 20000 100
answer base.walk 10010 101 200
answer ddr4.walk 20060 100 200
listing 178 0 | xz >"$oracle/walk.base.pipe.tsv.xz"
listing 7 0 >"$STAND_IN/listing"

timed 'two systems' 0 '6 passed, 0 failed' "$oracle" "$traces"
check 'a line a run' has_line '^run	walk	base	cycles	10000	10010	err_pct	\+0\.100	instructions	1000	1000	1\.0000	.*	mispredicts	100	101	1\.0100	.*	cache_lines	50	50	1\.0000	ok$'
check 'a ratio to nothing' has_line '^run	walk	ddr4	.*	forw_loads	0	0	-	'
check 'mean of cycles' has_line '^value	cycles_mape_pct	0\.2000$'
check 'the worst of them' has_line '^value	cycles_worst_pct	0\.3000$'
check 'where it is' has_line '^worst	cycles_mape_pct	0\.3000	walk ddr4$'
check 'the change from base' has_line '^value	relative_mape_pct	0\.1998$'
check 'mispredictions' has_line '^value	mispredicts_mape_pct	0\.5000$'
check 'a ratio' has_line '^value	ratio_cache_lines_mean	1\.0000$'
check 'a bound' has_line '^bound	cycles_mape_pct	0\.2000	0\.5	ok$'
check 'a system that is not there' has_line '^absent	rob512$'
check 'stages are compared from the first fetch' has_line '^value	stages_equal_pct	100\.0000$'
check 'values are one number' awk -F'\t' '$1 == "value" && NF != 3 { wrong = 1 } END { exit wrong }' "$WORK/out"
check 'how base is called' called "^replay detailed/base $traces/walk.trace.xz --model detailed --set pages.map="
check 'pages of data and code' diff - "$STAND_IN/map" <<'EOF'
page_size: 0x1000
address_mapping { virtual_address: 0x20000 physical_address: 0x10000 }
address_mapping { virtual_address: 0x10000 physical_address: 0x0 }
address_mapping { virtual_address: 0x11000 physical_address: 0x1000 }
EOF
timed 'two at once say the same' 0 '6 passed, 0 failed' --jobs 2 "$oracle" "$traces"
timed 'chosen by program' 0 '6 passed, 0 failed' "$oracle" "$traces" walk
timed 'chosen by program and system' 0 '4 passed, 0 failed' "$oracle" "$traces" walk.ddr4
timed 'chosen by system' 0 '4 passed, 0 failed' "$oracle" "$traces" .ddr4
timed 'a name of no run' 2 '' "$oracle" "$traces" walk nobody
check 'which it is' said 'no run is called nobody'

# ---- every kind of system
variant() {    # SYSTEM SETTING...
    local system=$1 key=base.walk setting
    shift
    for setting; do key=$key.$setting; done
    reference "$system" 10000 100
    answer "$key" 10100 110 200
}
variant ideal l2=none l1i.tag_latency=1 l1i.data_latency=1 l1i.response_latency=1 l1d.tag_latency=1 l1d.data_latency=1 \
    l1d.response_latency=1 l1d.mshrs=64 memory.type=simple memory.latency=1ns
variant rob64 cpu.numROBEntries=64
variant rob512 cpu.numROBEntries=512 cpu.LQEntries=128 cpu.SQEntries=128 cpu.numPhysIntRegs=1024 cpu.numPhysFloatRegs=1024
variant lsq16 cpu.LQEntries=16 cpu.SQEntries=16
variant iq24 cpu.numIQEntries=24
variant local cpu.branchPred.type=local
variant tage cpu.branchPred.type=tage_sc_l
reference cachefree 1 1
timed 'variants and predictors' 1 '14 passed, 1 failed' --no-stages "$oracle" "$traces"
check 'mean of variants' has_line '^value	variants_mape_pct	1\.0000$'
check 'mean of predictors' has_line '^value	predictors_mape_pct	1\.0000$'
check 'near-ideal memory' has_line '^value	ideal_mape_pct	1\.0000$'
check 'a bound that does not hold' has_line '^bound	mispredicts_mape_pct	7\.6250	2	FAILED$'
check 'counted predictors' has_line '^value	mispredicts_tage_mape_pct	10\.0000$'
check 'an unknown system is named' said 'walk	cachefree	not a system that is known here'
rm "$oracle"/walk.{ideal,rob64,rob512,lsq16,iq24,local,tage,cachefree}.stats.txt.gz

# ---- what fails
answer ddr4.walk 20060 100 201
timed 'another number of loads' 1 '5 passed, 1 failed' "$oracle" "$traces"
check 'which it is' said 'walk	ddr4	loads: reference 200, ours 201$'
rm "$STAND_IN/ddr4.walk"
timed 'a run that fails' 1 '4 passed, 1 failed' "$oracle" "$traces"
check 'why' said 'walk	ddr4	exit code 3: no answer for ddr4.walk$'
answer ddr4.walk 20060 100 200
listing 7 2 >"$STAND_IN/listing"
timed 'stages that differ fail nothing' 0 '6 passed, 0 failed' "$oracle" "$traces"
check 'where they do' has_line '^stages	walk	base	compared	4	of	4	equal	2	from_the_one_before	3	first	2	101d6$'
check 'how many' has_line '^value	stages_equal_pct	50\.0000$'
echo 'no listing' >"$STAND_IN/listing"
timed 'a listing that is none' 1 '5 passed, 1 failed' "$oracle" "$traces"
check 'why' said 'walk	base	.*line 1: no column seq'
cp "$traces/walk.v2p.textproto" "$WORK/kept"
echo 'address_mapping { virtual_address: 0x30000 physical_address: 0x1000 }' >>"$traces/walk.v2p.textproto"
timed 'data where code lies' 1 '0 passed, 2 failed' "$oracle" "$traces"
check 'which page' said 'code at 0x11000 belongs at 0x1000, but the page map has 0x30000 at 0x1000'
cp "$WORK/kept" "$traces/walk.v2p.textproto"
mv "$traces/walk.trace.xz" "$traces/walk.rbt"
listing 7 0 >"$STAND_IN/listing"
timed 'a packed trace' 0 '6 passed, 0 failed' "$oracle" "$traces"
check 'how that is called' called "^replay detailed/base $traces/walk.rbt --model detailed "
rm "$traces/walk.rbt"
timed 'no trace' 1 '0 passed, 2 failed' "$oracle" "$traces"
mkdir -p "$traces/elastic/walk"
timed 'another model replays elastic traces' 0 '5 passed, 0 failed' --model window "$oracle" "$traces"
check 'how that is called' called "^replay detailed/ddr4 $traces/elastic/walk --model window --stats "
timed 'no argument' 2 ''
timed 'an unknown option' 2 '' --none 1 "$oracle" "$traces"
timed 'no folder' 2 '' "$WORK/missing" "$traces"
timed 'no run' 2 '' "$traces" "$traces"
check 'nothing is left' test -z "$(ls -A "$TMPDIR")"

# ---- two listings
compared() {    # NAME EXIT_CODE ARGUMENTS...
    local name=$1 code=$2 got
    shift 2
    "$BUILD/tests/tools/stages_compare" "$@" >"$WORK/out" 2>"$WORK/messages"
    got=$?
    if [ "$got" = "$code" ]; then ok "$name"; else not_ok "$name: exit code $got"; head -n 5 "$WORK/out" "$WORK/messages"; fi
}
listing 7 0 >"$WORK/equal.tsv"
listing 7 2 >"$WORK/late.tsv"
sed 3d "$WORK/late.tsv" >"$WORK/short.tsv"
compared 'equal listings' 0 "$WORK/equal.tsv" "$oracle/walk.base.pipe.tsv.xz"
compared 'listings that differ' 1 --places 9 --by-pc 9 "$WORK/late.tsv" "$oracle/walk.base.pipe.tsv.xz"
check 'the first difference' has_line '^---- committed micro-op 2$'
check 'by stage' has_line ' fetch \+2 decode \+2 rename \+2 dispatch \+2 issue \+2 complete \+2 retire \+2$'
check 'where they drift apart' has_line '^2  4/4  101d6.0  1  \+2  \+2 '
check 'by pc' has_line '^101d6  1141  1  2  \+2$'
compared 'listings whose paths part' 1 "$WORK/short.tsv" "$oracle/walk.base.pipe.tsv.xz"
check 'where' has_line '^paths part at the committed micro-op 1$'
compared 'no listing' 2 "$WORK/out" "$oracle/walk.base.pipe.tsv.xz"
compared 'a stage of no name' 2 --stage none "$WORK/late.tsv" "$WORK/late.tsv"

# ---- the reference data
if [ ! -d "$SHARED/oracle/o3" ] || [ ! -d "$SHARED/traces/o3" ]; then
    skip "runs of the reference: $SHARED/oracle/o3 is not there"
    exit $failures
fi
# A part of the 156 runs, each kind; O3_RUNS=all: all. Of the bundled data, which have all runs and one elastic trace, fewer.
part=(.base .small .rob64 .bimode interp.ideal lz.ideal)
is_whole_reference || part=(interp.base recurse.base lz.small qsort.rob64 interp.bimode recurse.tage interp.ideal gups.ideal)
[ "${O3_RUNS:-part}" = all ] && part=()
"$O3_TIMING" --jobs "$(nproc)" "$SHARED/oracle/o3" "$SHARED/traces/o3" "${part[@]}" >"$WORK/all" 2>"$WORK/messages"
grep FAILED "$WORK/all"
head -n 20 "$WORK/messages"
grep -E '^(value|worst|stages)' "$WORK/all"
[ ${#part[@]} -gt 0 ] || figures_of o3-timing "$WORK/all"
tail -n 1 "$WORK/all"
exit $failures
