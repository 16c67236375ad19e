#!/usr/bin/env bash
# Modules: the examples of docs/examples/modules build and run; twins of built-in models give every statistic of theirs, in both
# engines; parameters, statistics, points of sweeps; refusals; a module that crashes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

modules=$WORK/modules
mkdir "$modules"
has_cxx=$(command -v g++ || command -v clang++)
for source in docs/examples/modules/*.c docs/examples/modules/*.cpp; do
    name=$(basename "$source")
    [ "${name##*.}" = c ] || [ -n "$has_cxx" ] || { skip "build of $name: no C++ compiler"; continue; }
    "$RUBATO" plugin build "$source" -o "$modules/${name%.*}.so" >"$WORK/said" 2>&1
    check "build of $name" grep -q "^$modules/${name%.*}.so: ${name%.*}: " "$WORK/said"
done
mkdir "$WORK/folder" && cp docs/examples/modules/srrip.c "$WORK/folder"
check 'a folder of sources' "$RUBATO" plugin build "$WORK/folder" -o "$WORK/folder.so" >/dev/null

# ---- twins
# The statistics, without those of modules.
figures() { grep -v '\.module\.' "$1"; }
# same NAME TRACE KEY=BUILT_IN KEY=MODULE OPTION...: all statistics but those of the module itself are equal, in both engines
same() {
    local name=$1 trace=$2 built_in=$3 module=$4 engine
    shift 4
    "$RUBATO" replay default "$trace" "$@" --set "$built_in" --stats "$WORK/one.json" >/dev/null 2>&1
    for engine in fast plain; do
        "$RUBATO" replay default "$trace" "$@" --engine $engine --set "$module" --stats "$WORK/$engine.json" >/dev/null 2>"$WORK/stderr"
        check "$name: $engine" eval 'diff <(figures "$WORK/one.json") <(figures "$WORK/$engine.json") >"$WORK/diff"'
    done
    check "$name: it did something" [ "$(wc -l <"$WORK/fast.json")" -gt 100 ]
}
same 'next line behind the L1s' "$TRACES/gups" l2.prefetcher=next_line "l2.prefetcher=$modules/next_line.so"
same 'next line beside the core' "$TRACES/triad" l1d.prefetcher=next_line "l1d.prefetcher=$modules/next_line.so" --set l2.prefetcher=stride
same 'SRRIP' "$TRACES/gups" l2.replacement=srrip "l2.replacement=$modules/srrip.so" --set l2.size=64KiB
same 'SRRIP of an L1' "$TRACES/qsort" l1d.replacement=srrip "l1d.replacement=$modules/srrip.so"
program=$TRACES/detailed/sort.rbt
same 'bimodal' "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/bimodal.so" --model detailed
same 'next line, detailed core with TLBs' "$program" l1d.prefetcher=next_line "l1d.prefetcher=$modules/next_line.so" --model detailed \
    --set cpu.tlb=yes
# The differences that are looked for show.
"$RUBATO" replay default "$TRACES/gups" --set "l2.prefetcher=$modules/next_line.so" --set l2.prefetcher.module.degree=2 \
    --stats "$WORK/two.json" >/dev/null 2>&1
"$RUBATO" replay default "$TRACES/gups" --set "l2.prefetcher=$modules/next_line.so" --stats "$WORK/one.json" >/dev/null 2>&1
check 'a parameter of the module counts' eval '! cmp -s "$WORK/one.json" "$WORK/two.json"'
check 'its statistics are there' grep -q 'prefetcher\.module\.proposed": [1-9]' "$WORK/one.json"

# ---- all other examples run, the same in both engines
runs() {    # NAME TRACE OPTION...
    local name=$1 trace=$2 engine
    shift 2
    for engine in fast plain; do
        "$RUBATO" replay default "$trace" --engine $engine "$@" --stats "$WORK/$engine.json" >"$WORK/stdout" 2>"$WORK/stderr" || cat "$WORK/stderr"
    done
    check "$name: both engines agree" cmp "$WORK/fast.json" "$WORK/plain.json"
}
runs 'targets' "$program" --model detailed --set "cpu.branchPred.BTB=$modules/targets.so" \
    --set "cpu.branchPred.indirectBranchPred=$modules/targets.so" --set cpu.branchPred.BTB_module.entries=2
check 'entries of the BTB are replaced' grep -qE 'replaced[^0-9]*[1-9]' "$WORK/fast.json"
if [ -n "$has_cxx" ]; then
    runs 'stride' "$program" --model detailed --set "l1d.prefetcher=$modules/stride.so"
    runs 'second use' "$TRACES/gups" --set "l2.replacement=$modules/second_use.so" --set l2.size=64KiB
    check 'lines pass by' grep -qE 'bypassed[^0-9]*[1-9]' "$WORK/fast.json"
    runs 'gshare' "$program" --model detailed --set "cpu.branchPred.type=$modules/gshare.so" --set "cpu.branchPred.BTB=$modules/gshare.so"
fi

# ---- modules for ChampSim's interfaces of 2024 and 2021, unchanged
if [ -n "$has_cxx" ]; then
    # Built in half the time.
    printf '#!/bin/sh\nexec %s "$@" -O0 -g0\n' "$has_cxx" >"$WORK/cxx"
    chmod +x "$WORK/cxx"
    for folder in tests/modules/champsim/*/; do
        name=$(basename "$folder")
        "$RUBATO" plugin build "$folder" -o "$modules/$name.so" --compiler "$WORK/cxx" >"$WORK/said" 2>&1
        check "ChampSim: build of $name" grep -q "^$modules/$name.so: $name: " "$WORK/said"
    done
    runs 'ChampSim: addresses' "$program" --model detailed --set cpu.tlb=yes --set "l1d.prefetcher=$modules/lines.so"
    cp "$WORK/fast.json" "$WORK/lines.json"
    runs 'ChampSim: numbers' "$program" --model detailed --set cpu.tlb=yes --set "l1d.prefetcher=$modules/numbers.so"
    check 'ChampSim: both forms of a hook do the same' cmp "$WORK/lines.json" "$WORK/fast.json"
    check 'ChampSim: it prefetches' grep -q '"system.l1d.prefetch.issued": [1-9]' "$WORK/lines.json"
    same 'ChampSim: counters' "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/counters.so" --model detailed
    same 'ChampSim: least recently used' "$TRACES/gups" l2.replacement=lru "l2.replacement=$modules/oldest.so" --set l2.size=64KiB
    runs 'ChampSim: targets' "$program" --model detailed --set "cpu.branchPred.BTB=$modules/jumps.so"
    check 'ChampSim: targets hit' grep -q '"system.cpu.branchPred.BTBHits": [1-9]' "$WORK/fast.json"
    cp "$WORK/fast.json" "$WORK/jumps.json"

    # The interface of 2026: modules that are registered.
    for name in next oldest counters jumps; do
        "$RUBATO" plugin build tests/modules/champsim_built/$name -o "$modules/built_$name.so" --compiler "$WORK/cxx" >"$WORK/said" 2>&1
        check "ChampSim 2026: build of $name" grep -q "^$modules/built_$name.so: $name: " "$WORK/said"
    done
    runs 'ChampSim 2026: next line' "$program" --model detailed --set cpu.tlb=yes --set "l1d.prefetcher=$modules/built_next.so"
    check 'ChampSim 2026: as the class of 2024' cmp "$WORK/lines.json" "$WORK/fast.json"
    same 'ChampSim 2026: least recently used' "$TRACES/gups" l2.replacement=lru "l2.replacement=$modules/built_oldest.so" --set l2.size=64KiB
    "$RUBATO" replay default "$program" --model detailed --quiet --set l1d.size=1KiB --set "l1d.prefetcher=$modules/built_next.so" >"$WORK/stdout" 2>&1
    check 'ChampSim 2026: evictions' grep -q '^l1d fills [1-9].* evictions [1-9].* broken 0' "$WORK/stdout"
    same 'ChampSim 2026: counters' "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/built_counters.so" --model detailed
    runs 'ChampSim 2026: targets' "$program" --model detailed --set "cpu.branchPred.BTB=$modules/built_jumps.so"
    check 'ChampSim 2026: targets as by the class of 2024' cmp "$WORK/jumps.json" "$WORK/fast.json"
    cat tests/modules/champsim_built/{counters/counters,jumps/jumps}.cc >"$WORK/both.cc"
    refused 'ChampSim 2026: two kinds' 'btb::register_module: .* of one kind' "$RUBATO" plugin build "$WORK/both.cc" -o "$WORK/x.so"

    # Hooks of 2021, members of CACHE and O3_CPU: as their counterparts of 2024 and built-in models.
    for folder in tests/modules/champsim_members/*/; do
        name=$(basename "$folder")
        "$RUBATO" plugin build "$folder" -o "$modules/$name.so" --compiler "$WORK/cxx" --define RUBATO_NUM_CPUS=2 >"$WORK/said" 2>&1
        check "ChampSim 2021: build of $name" grep -q "^$modules/$name.so: $name: " "$WORK/said"
    done
    runs 'ChampSim 2021: next line' "$program" --model detailed --set cpu.tlb=yes --set "l1d.prefetcher=$modules/following.so"
    check 'ChampSim 2021: as the class of 2024' cmp "$WORK/lines.json" "$WORK/fast.json"
    check 'ChampSim 2021: the end is printed' grep -q '^l1d of 1: misses [1-9]' "$WORK/stdout"
    same 'ChampSim 2021: counters' "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/tables.so" --model detailed
    same 'ChampSim 2021: least recently used' "$TRACES/gups" l2.replacement=lru "l2.replacement=$modules/aged.so" --set l2.size=64KiB
    runs 'ChampSim 2021: targets' "$program" --model detailed --set "cpu.branchPred.BTB=$modules/tables.so"
    check 'ChampSim 2021: targets as by the class of 2024' cmp "$WORK/jumps.json" "$WORK/fast.json"
    for key in l1d l2 l1i; do
        "$RUBATO" replay default "$program" --model detailed --set "$key.prefetcher=$modules/watch.so" --set cpu.tlb=yes --set l1d.size=8KiB \
            --set l2.size=32KiB --records 20000 --quiet >"$WORK/stdout" 2>"$WORK/stderr"
        check "ChampSim 2021: rules of $key" grep -q "^$key accesses [1-9].* fills [1-9].* taken [1-9].* cycles [1-9].* returned [1-9][0-9]* broken 0 " \
            "$WORK/stdout"
    done
    check 'ChampSim 2021: a full queue refuses' grep -q ' refused [1-9]' "$WORK/stdout"
    check 'ChampSim 2021: branches' grep -q ' branches [1-9]' "$WORK/stdout"
    two=("$TRACES/gups" "$TRACES/gups" --set cores=2 --set cores.1.offset=256MiB)
    "$RUBATO" replay default "${two[@]}" --quiet --set "l1d.prefetcher=$modules/following.so" >"$WORK/stdout" 2>"$WORK/stderr"
    check 'ChampSim 2021: globals are those of all caches of a system' grep -q '^cpu1.l1d of 2: ' "$WORK/stdout"
    refused 'ChampSim 2021: more cores than NUM_CPUS' 'following has arrays for 2 cores .* has 4; .* --define RUBATO_NUM_CPUS=4' \
        "$RUBATO" replay default "$TRACES/gups" --set cores=4 --set cpu.share=yes --set "l1d.prefetcher=$modules/following.so"
    "$BUILD/tests/tools/two_systems" default "$TRACES/gups" "l1d.prefetcher=$modules/following.so" >"$WORK/stdout" 2>"$WORK/stderr"
    check 'ChampSim 2021: two systems of a process share nothing' eval \
        '[ "$(grep -c "of 1: misses" "$WORK/stdout")" = 2 ] && [ "$(sort -u "$WORK/stdout" | grep -c misses)" = 1 ]'

    printf 'l1i: {size: 2KiB}\nl1d: {size: 8KiB}\nl2: {size: 32KiB, assoc: 4}\nl3: {size: 128KiB, assoc: 8}\n' >"$WORK/three.yaml"
    # Hooks of 2017, with the level in the name: as those of 2021 and built-in models.
    for folder in all virtual; do
        "$RUBATO" plugin build tests/modules/champsim_contest/$folder -o "$modules/$folder.so" --compiler "$WORK/cxx" --system "$WORK/three.yaml" \
            >"$WORK/said" 2>&1
        check "ChampSim 2017: build of $folder" grep -q "^$modules/$folder.so: $folder: prefetcher" "$WORK/said"
    done
    # twins NAME KEY MODULE OPTION...: all statistics are those of the module of 2021, in both engines
    twins() {
        local name=$1 key=$2 module=$3
        shift 3
        runs "ChampSim 2017: $name" "$program" --model detailed "$@" --set "$key=$modules/$module.so"
        cp "$WORK/fast.json" "$WORK/own.json" && cp "$WORK/stdout" "$WORK/printed"
        "$RUBATO" replay default "$program" --model detailed "$@" --set "$key=$modules/following.so" --stats "$WORK/other.json" >/dev/null 2>&1
        check "ChampSim 2017: $name, as the form of 2021" cmp "$WORK/own.json" "$WORK/other.json"
    }
    small=(--set l1d.size=8KiB --set l2.size=32KiB --set l2.assoc=4 --set l3.size=128KiB --set l3.assoc=8 --records 30000 --no-cache --quiet)
    export IN_PAGE=1
    twins 'next line' l1d.prefetcher all "${small[@]}"
    check 'ChampSim 2017: the end is printed' grep -q '^l1d ends: fills [1-9].* issued [1-9]' "$WORK/printed"
    export BELOW=1 DEPTH=2
    twins 'next line of the L2' l1d.prefetcher all "${small[@]}"
    unset IN_PAGE BELOW
    DEPTH=4 runs 'ChampSim 2017: next line of the LLC' "$program" --model detailed "${small[@]}" --set "l1d.prefetcher=$modules/all.so"
    check 'ChampSim 2017: prefetches go two levels down' eval 'grep -q "\"system.l3.prefetch.issued\": [1-9]" "$WORK/fast.json" &&
        ! cmp -s "$WORK/fast.json" "$WORK/own.json"'
    unset DEPTH
    twins 'virtual addresses (Berti)' l1d.prefetcher virtual "${small[@]}" --set cpu.tlb=yes
    check 'ChampSim 2017: virtual and physical addresses' grep -q '^l1d fills [1-9].* other [1-9].* broken 0' "$WORK/printed"
    twins 'instructions' l1i.prefetcher virtual "${small[@]}" --set cpu.tlb=yes --set l1i.size=2KiB
    check 'ChampSim 2017: hooks of an L1I' grep -q '^L1I accesses [1-9].* fills [1-9].* cycles [1-9].* branches [1-9].* useful [1-9].* taken [1-9]' "$WORK/printed"
    same 'ChampSim 2017: least recently used by the cache' "$TRACES/gups" l2.replacement=lru "l2.replacement=$modules/all.so" "${small[@]}"
    same 'ChampSim 2017: least recently used by arrays' "$TRACES/gups" l3.replacement=lru "l3.replacement=$modules/all.so" "${small[@]}"
    same 'ChampSim 2017: counters' "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/all.so" --model detailed
    runs 'ChampSim 2017: all hooks' "$program" --model detailed "${small[@]}" --set "l2.prefetcher=$modules/all.so" --set l1d.prefetcher=stride
    check 'ChampSim 2017: rules' grep -qE "^l2( [a-z]+ [1-9][0-9]*)+ broken 0 " "$WORK/stdout"
    "$RUBATO" plugin build tests/modules/champsim_contest/seen -o "$modules/seen.so" --compiler "$WORK/cxx" >"$WORK/said" 2>&1
    runs 'ChampSim 2017: lines of find_victim' "$TRACES/gups" "${small[@]}" --set "l3.replacement=$modules/seen.so"
    check 'ChampSim 2017: they are those of the set' grep -qE '^l3 clean [1-9][0-9]* dirty [0-9]+ broken 0$' "$WORK/stdout"
    refused 'ChampSim 2017: arrays of another size' 'all cannot be used for l3: it has arrays for 256 sets .* --system' "$RUBATO" replay default "$TRACES/gups" \
        --set l3.size=64KiB --set "l3.replacement=$modules/all.so"
    refused 'ChampSim 2017: sizes of caches' 'LLC_SET is a size .* --system' "$RUBATO" plugin build tests/modules/champsim_contest/all/oldest.llc_repl \
        -o "$WORK/x.so"

    # Kits of contests: as built-in models, in the order of the core and in that of the trace.
    for kit in crc2 cbp5 cbp2025; do
        "$RUBATO" plugin build tests/modules/kits/$kit -o "$modules/$kit.so" --compiler "$WORK/cxx" >"$WORK/said" 2>&1
        check "kits: build of $kit" grep -q "^$modules/$kit.so: $kit: " "$WORK/said"
    done
    for kit in cbp5 cbp2025; do
        same "kits: $kit" "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/$kit.so" --model detailed --records 20000
        same "kits: $kit in trace order" "$program" cpu.branchPred.type=local "cpu.branchPred.type=$modules/$kit.so" --model detailed \
            --records 20000 --set cpu.branchPred.train=trace_order --set cpu.wrongPath=no
    done
    same 'kits: crc2' "$TRACES/gups" l2.replacement=lru "l2.replacement=$modules/crc2.so" --set l2.size=64KiB --set l2.assoc=16
    "$RUBATO" replay default "$TRACES/gups" --set l2.size=64KiB --set l2.assoc=16 --set "l2.replacement=$modules/crc2.so" --quiet >"$WORK/stdout" 2>&1
    check 'kits: crc2 prints its end' grep -q '^hits [1-9][0-9]* victims [1-9]' "$WORK/stdout"
    refused 'kits: crc2, another cache' 'crc2 cannot be used for l2: it is made for 2048 sets of 16 ways' "$RUBATO" replay default "$TRACES/gups" \
        --set "l2.replacement=$modules/crc2.so"
    no_source() {    # NAME PATTERN TEXT OPTION...
        local name=$1 pattern=$2
        printf '#include "cache.h"\n%s\n' "$3" >"$WORK/no.cc"
        shift 3
        refused "ChampSim: $name" "$pattern" "$RUBATO" plugin build "$WORK/no.cc" -o "$WORK/x.so" "$@"
    }
    no_source 'a hook that is never called' 'no\.cc: CACHE::l1d_prefetcher_notify_about_dtlb_eviction: .* empty' \
        'void CACHE::l1d_prefetcher_notify_about_dtlb_eviction(u64 a, u32 s, u32 w, u8 p, u64 e, u32 m) { count++; }'
    no_source 'a form of a fork' 'no\.cc: CACHE::l2c_prefetcher_operate: a form' 'u32 CACHE::l2c_prefetcher_operate(u64 a) { return 0; }'
    no_source 'a prefetcher of a TLB' 'CACHE::dtlb_prefetcher_operate: modules of TLBs' 'void CACHE::dtlb_prefetcher_operate(u64 a, u64 i, u8 h, u8 t) {}'
    no_source 'no hook' 'CACHE::foo is no hook' 'void CACHE::foo() {}'
    no_source 'two generations' 'several generations .* --api g0' 'void CACHE::l1d_prefetcher_initialize() {} void CACHE::prefetcher_initialize() {}'
    no_source 'another generation' 'no hook of --api g2' 'void CACHE::prefetcher_initialize() {}' --api g2
    no_source 'an unknown generation' 'api g9 is unknown; give one of auto, g0, g1, g2, g3, crc2' '' --api g9
    printf '#include "cache.h"\nvoid CACHE::prefetcher_initialize() { notify_all(); }\n' >"$WORK/fork.cc"
    "$RUBATO" plugin build "$WORK/fork.cc" -o "$WORK/x.so" >"$WORK/stdout" 2>"$WORK/stderr"
    check 'ChampSim 2021: what is not there is named with its place' grep -q 'fork.cc:2:.*notify_all' "$WORK/stderr"
fi

# ---- calls of a module: invariants that the probe checks itself
"$RUBATO" plugin build tests/modules/probe.c -o "$modules/probe.so" >/dev/null 2>"$WORK/stderr" || cat "$WORK/stderr"
for key in l1d.prefetcher l2.prefetcher l2.replacement; do
    settings=(--set "$key=$modules/probe.so")
    [ $key != l1d.prefetcher ] || settings+=(--set l1d.prefetcher.module.below=1)
    runs "probe at $key" "$program" --model detailed "${settings[@]}" --set cpu.tlb=yes --set l1d.size=8KiB --set l2.size=32KiB
    for counter in accesses fills; do
        check "probe at $key: $counter" grep -qE "$counter[^0-9]*[1-9]" "$WORK/fast.json"
    done
    check "probe at $key: no rule is broken" grep -qE 'broken[^0-9]*0\b' "$WORK/fast.json"
done
runs 'probe with a call each cycle' "$TRACES/gups" --set "l2.prefetcher=$modules/probe.so" --set l2.prefetcher.module.below=0
check 'cycles are counted' grep -qE 'cycles[^0-9]*[1-9]' "$WORK/fast.json"
runs 'probe of an L1I: branches' "$program" --model detailed --set "l1i.prefetcher=$modules/probe.so"
check 'branches are told' grep -qE 'branches[^0-9]*[1-9]' "$WORK/fast.json"
"$RUBATO" replay default "$TRACES/gups" --warmup 1000 --set "l2.prefetcher=$modules/probe.so" --stats "$WORK/warm.json" >/dev/null 2>&1
check 'the ends of the warm-up and of the run reach the module' eval 'grep -qE "warmups[^0-9]*1\b" "$WORK/warm.json" && grep -qE "ends[^0-9]*1\b" "$WORK/warm.json"'

# ---- configuration
settings=(--set "l2.prefetcher=$modules/next_line.so" --set l2.prefetcher.module.degree=3 --set "l2.replacement=$modules/srrip.so")
"$RUBATO" config show default "${settings[@]}" >"$WORK/shown.yaml"
check 'config show: parameters of modules' eval 'grep -q "degree: 3 .*fetched for one miss; lines" "$WORK/shown.yaml" && grep -q "bits: 2 .*of a prediction" "$WORK/shown.yaml"'
check 'config show: its output is a system' eval '"$RUBATO" config show "$WORK/shown.yaml" | tail -n +2 | diff - <(tail -n +2 "$WORK/shown.yaml") >/dev/null'
printf 'l2: {prefetcher: ./modules/next_line.so, replacement: ./modules/srrip.so, replacement_module: {bits: 3}}\n' >"$WORK/beside.yaml"
check 'a path goes from the folder of its file' eval '"$RUBATO" config show "$WORK/beside.yaml" | grep -q "bits: 3"'

no_module() {    # NAME PATTERN SETTING...
    local name=$1 pattern=$2 words=() setting
    shift 2
    for setting in "$@"; do words+=(--set "$setting"); done
    refused "$name" "$pattern" "$RUBATO" replay default "$TRACES/gups" "${words[@]}"
}
no_module 'a name without a slash' 'is no path; .* such as \./x\.so' l2.prefetcher=x.so
no_module 'no file' 'none\.so: No such file' "l2.prefetcher=$WORK/none.so"
no_module 'another kind' 'the module srrip is no prefetcher' "l2.prefetcher=$modules/srrip.so"
no_module 'no shared object' 'not a shared object' l2.prefetcher=./README.md
no_module 'a folder' 'not a shared object' l2.prefetcher=./tests
no_module 'an unknown parameter' 'no parameter degre; the first is degree' "l2.prefetcher=$modules/next_line.so" l2.prefetcher.module.degre=2
no_module 'out of range' 'module\.degree: 65 is out of range; give 1 to 64' "l2.prefetcher=$modules/next_line.so" l2.prefetcher.module.degree=65
no_module 'no number' 'module\.degree: "1zz"' "l2.prefetcher=$modules/next_line.so" l2.prefetcher.module.degree=1zz
no_module 'a parameter of no module' 'names no module' l2.prefetcher.module.degree=2
printf 'int rubato_nothing;\n' >"$WORK/nothing.c"
"$CC" -shared -fPIC -o "$WORK/nothing.so" "$WORK/nothing.c"
no_module 'without the symbol' 'has no symbol rubato_module' "l2.prefetcher=$WORK/nothing.so"
{ head -c 18 "$modules/srrip.so"; printf '\x16\x00'; tail -c +21 "$modules/srrip.so"; } >"$WORK/s390.so"
no_module 'another architecture' 'made for s390, but rubato runs on' "l2.replacement=$WORK/s390.so"
sed 's/\.version = RUBATO_POLICY_VERSION/.version = 77/' docs/examples/modules/srrip.c >"$WORK/old.c"
"$CC" -std=c17 -shared -fPIC -Iinclude -o "$WORK/old.so" "$WORK/old.c"
no_module 'another version' 'made for version 77 of rubato_policy\.h, but this is version 1' "l2.replacement=$WORK/old.so"

# ---- the command
refused 'build: no source' 'No such file' "$RUBATO" plugin build "$WORK/none.c" -o "$WORK/x.so"
refused 'build: no output' 'no output was given' "$RUBATO" plugin build docs/examples/modules/srrip.c
refused 'build: another ending' 'no source; they end in' "$RUBATO" plugin build README.md -o "$WORK/x.so"
refused 'build: no compiler' 'no compiler of C .* was found; .* package gcc' env PATH=/nowhere "$RUBATO" plugin build docs/examples/modules/srrip.c -o "$WORK/x.so"
refused 'build: no compiler of that name' 'no-such-cc: No such file' "$RUBATO" plugin build docs/examples/modules/srrip.c --compiler no-such-cc -o "$WORK/x.so"
refused 'another word' 'plugin: biuld is unknown here' "$RUBATO" plugin biuld x.c
printf 'syntax error\n' >"$WORK/wrong.c"
"$RUBATO" plugin build "$WORK/wrong.c" -o "$WORK/wrong.so" >"$WORK/stdout" 2>"$WORK/stderr"
code=$?
check 'build: errors of the compiler are shown, and nothing is left' eval '[ $code = 2 ] && grep -q "could not compile" "$WORK/stderr" && ! ls "$WORK"/wrong.so* 2>/dev/null'
"$RUBATO" plugin show "$modules/next_line.so" >"$WORK/said"
check 'show' eval 'grep -q "degree .*1 (1 to 64) lines  fetched for one miss" "$WORK/said" && grep -q "proposed" "$WORK/said"'

# ---- a module that crashes ends its run, and its point of a sweep only
cat >"$WORK/crash.c" <<'END'
#include <rubato_policy.h>
#include <stdlib.h>
static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values, uint64_t *counters)
{
    uint64_t *const kind = malloc(sizeof *kind);
    (void)host, (void)place, (void)counters;
    if (kind) *kind = values[0].count;
    for (volatile int n = 0; kind && *kind == 5; n++) {}
    return kind;
}
static uint32_t deeper(uint32_t n) { volatile char room[4096]; room[0] = (char)n; return deeper(n + 1) + (uint32_t)room[0]; }
static uint32_t access(void *self, const struct rubato_request *request)
{
    if (*(uint64_t *)self == 1) *(volatile int *)8 = 1;
    if (*(uint64_t *)self == 2) abort();
    if (*(uint64_t *)self == 3) return deeper(1);
    for (volatile int n = 0; *(uint64_t *)self == 4; n++) {}
    return request->metadata;
}
static const struct rubato_parameter parameters[] = {{"kind", NULL, NULL, RUBATO_COUNT, {0}, {0}, {5}}};
static const struct rubato_prefetcher prefetcher = {.access = access};
RUBATO_EXPORT const struct rubato_module rubato_module = {.version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module),
    .name = "crash", .parameters = parameters, .parameter_count = 1, .create = create, .destroy = free, .prefetcher = &prefetcher};
END
"$RUBATO" plugin build "$WORK/crash.c" -o "$modules/crash.so" >/dev/null 2>&1
if nm "$RUBATO" 2>/dev/null | grep -q __asan_init; then
    skip 'crashes (4): a build with sanitizers'
else
    for kind in 1 2 3; do
        timeout 60 "$RUBATO" replay default "$TRACES/gups" --set "l2.prefetcher=$modules/crash.so" --set l2.prefetcher.module.kind=$kind \
            >"$WORK/stdout" 2>"$WORK/stderr"
        code=$?
        check "a crash is named: $kind" eval '[ $code = 3 ] && grep -q "^rubato: the module crash (.*/crash.so) crashed: " "$WORK/stderr"'
    done
    cat >"$WORK/sweep.yaml" <<END
system: default
traces: $TRACES/gups
set: {l2.prefetcher: $modules/crash.so}
axes: {l2.prefetcher.module.kind: [0, 1, 4], l2.replacement: [lru, $modules/srrip.so]}
END
    for kind in 4 5; do
        timeout 60 "$RUBATO" replay default "$TRACES/gups" --module-limit 200ms --set "l2.prefetcher=$modules/crash.so" \
            --set l2.prefetcher.module.kind=$kind >"$WORK/stdout" 2>"$WORK/stderr"
        code=$?
        check "a module that does not come back is named: $kind" eval \
            '[ $code = 3 ] && grep -q "^rubato: the module crash (.*/crash.so) did not come back for 0.2 s .*--module-limit" "$WORK/stderr"'
    done
    refused 'no time' 'module-limit' "$RUBATO" replay default "$TRACES/gups" --module-limit 1zz
    check 'a run without modules has no limit' "$RUBATO" replay default "$TRACES/gups" --no-cache --quiet --module-limit 1ms >/dev/null
    "$RUBATO" sweep "$WORK/sweep.yaml" -o "$WORK/results.db" -j 1 --module-limit 200ms >"$WORK/stdout" 2>"$WORK/stderr"
    "$RUBATO" results "$WORK/results.db" --tsv >"$WORK/table" 2>/dev/null
    check 'a sweep goes on: two points work, four are named' eval '[ "$(grep -c "done" "$WORK/table")" = 2 ] && [ "$(grep -c "failed.*the module crash" "$WORK/table")" = 4 ]'
fi

# ---- the contents of the file are part of a point's identity
cp "$modules/srrip.so" "$WORK/policy.so"
printf 'system: default\ntraces: %s\naxes: {l2.replacement: [lru, %s]}\n' "$TRACES/gups" "$WORK/policy.so" >"$WORK/policy.yaml"
"$RUBATO" sweep "$WORK/policy.yaml" -o "$WORK/policy.db" -j 1 >/dev/null 2>&1
"$RUBATO" sweep "$WORK/policy.yaml" --dry-run -o "$WORK/policy.db" >"$WORK/same" 2>&1
"$RUBATO" plugin build docs/examples/modules/srrip.c --define NOTHING=1 -o "$WORK/policy.new.so" >/dev/null 2>&1
printf 'x' >>"$WORK/policy.new.so" && mv "$WORK/policy.new.so" "$WORK/policy.so"
"$RUBATO" sweep "$WORK/policy.yaml" --dry-run -o "$WORK/policy.db" >"$WORK/other" 2>&1
check 'another file of the same name is another point' eval '! diff -q "$WORK/same" "$WORK/other" >/dev/null'
exit $failures
