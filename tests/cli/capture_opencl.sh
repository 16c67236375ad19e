#!/usr/bin/env bash
# rubato capture --opencl: six programs whose counts follow from their code, in bundled traces and, where Oclgrind is, in captures
# on three sizes; Oclgrind's own counts; both systems; Accel-Sim's form; what goes wrong.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato
programs=tests/programs/opencl
bundled=$TRACES/opencl

have() { command -v "$1" >/dev/null 2>&1; }
# A count of `trace info`, by its line and column.
info_of() { awk -v word="$2" -v column="$3" '$1 == word { print $column; exit }' "$1"; }

# --- what each program must have, from its code as LLVM makes it (docs/spec/opencl-capture.md has the instructions): groups, warps,
# instructions of work-items and of warps of 32, sectors of global memory
expected() {    # PROGRAM SIZE
    local n=$2 g t
    case $1 in
        # 9 instructions; 3 accesses of 16 sectors a warp
        vector_add) echo "$((n / 256)) $((n / 32)) $((9 * n)) $((9 * n / 32)) $((48 * n / 32))" ;;
        # 8 instructions; 32 sectors read and 4 written
        strided_copy) echo "$((n / 128)) $((n / 32)) $((8 * n)) $((8 * n / 32)) $((36 * n / 32))" ;;
        # 309 instructions each, 7 more for 127 work-items (8 warps in the seven steps) and 5 more for one; 16 loads of 16 sectors a
        # warp and one store
        reduction) g=$((n / 8192)) && echo "$g $((4 * g)) $((g * (128 * 309 + 127 * 7 + 5))) $((g * (4 * 309 + 8 * 7 + 5))) $((g * 1025))" ;;
        # 10 instructions, 5 of even work-items, 2 + 4 (k + 1) + 4 k of odd ones, k = 1, 3, 5, 7; a warp goes through each once, and
        # the loop seven times; stores of 2 and 4 sectors
        divergent_branch) echo "$((n / 64)) $((n / 32)) $((252 * n / 8)) $((77 * n / 32)) $((6 * n / 32))" ;;
        # 13 instructions, 8 more for 64 work-items of 256; 4 sectors read by each warp, added to by two
        histogram) g=$((n / 256)) && echo "$g $((8 * g)) $((g * 3840)) $((g * 120)) $((g * 40))" ;;
        # 24 instructions, and 217 for each of n / 16 tiles; 4 sectors an access, two accesses a tile and one more
        matrix_product) t=$((n / 16)) && echo "$((t * t)) $((8 * t * t)) $(((24 + 217 * t) * n * n)) $(((24 + 217 * t) * 8 * t * t)) $(((8 * t + 4) * 8 * t * t))" ;;
    esac
}
found() {    # TRACE: the same of a trace
    "$RUBATO" trace info "$1" >"$WORK/info" 2>&1
    echo "$(info_of "$WORK/info" blocks 2) $(info_of "$WORK/info" warps 2) $(sed -n 's/.* of warps, \([0-9]*\) of threads.*/\1/p' "$WORK/info")" \
        "$(info_of "$WORK/info" instructions 2) $(info_of "$WORK/info" global 4)"
}
same_counts() {    # NAME FOUND EXPECTED
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; echo "    found $2, expected $3 (groups, warps, instructions of work-items, of warps, sectors)"; fi
}
list='vector_add:1024 strided_copy:1024 reduction:16384 divergent_branch:1024 histogram:1024 matrix_product:32'

# --- bundled traces
for entry in $list; do
    program=${entry%:*} size=${entry#*:}
    trace=$bundled/$program.pack
    same_counts "$program: counts" "$(found "$trace")" "$(expected "$program" "$size")"
    "$RUBATO" trace convert "$trace" --to accel-sim -o "$WORK/accel" >/dev/null 2>&1
    "$RUBATO" trace dump "$trace" >"$WORK/dump" && "$RUBATO" trace dump "$WORK/accel" >"$WORK/dump.accel"
    check "$program: as Accel-Sim's text it is read back the same" cmp -s "$WORK/dump" "$WORK/dump.accel"
    # Accel-Sim's rules: names, one destination and four sources at most, a mask of eight digits, as many lines as insts says,
    # a list with as many addresses as active lanes
    check "$program: Accel-Sim's rules" awk '
        function bits(digits,    i, n) { n = 0; for (i = 1; i <= length(digits); i++) n += count[substr(digits, i, 1)]; return n }
        BEGIN { split("0 1 1 2 1 2 2 3 1 2 2 3 2 3 3 4", of, " "); for (i = 0; i < 16; i++) count[sprintf("%x", i)] = of[i + 1] }
        /^-/ { next } /^#BEGIN_TB/ { began = 1; next } !began || NF == 0 || /^#/ { next }
        /^thread block = [0-9]+,[0-9]+,[0-9]+$/ || /^warp = [0-9]+$/ { if (left) bad = 1; next }
        /^insts = [1-9][0-9]*$/ { left = $3; next }
        { left--; if ($3 !~ /^[0-9a-f]+$/ || length($3) != 8 || $4 > 1) bad = 1
          at = 5 + $4; if ($at !~ /^[A-Z][A-Z0-9]*(\.|$)/ || $(at + 1) > 4) bad = 1
          at += 2 + $(at + 1); width = $at; mode = $(at + 1)
          if (width && !(mode == 1 && NF == at + 3) && !(mode == 0 && NF == at + 1 + bits($3))) bad = 1
          if (!width && NF != at) bad = 1 }
        END { exit bad || left }' "$WORK/accel/kernel-1.traceg"
    rm -rf "$WORK/accel"
    for system in qv100:$program r9nano:$program-64; do
        check "$program on ${system%:*}" timeout 60 "$RUBATO" replay "${system%:*}" "$bundled/${system#*:}.pack" --quiet
    done
done
# Lanes of one warp that add to one bin go one after the other, lines of the same kernel in AMD's form have half of the warps.
same_counts 'warps of 64 lanes' "$("$RUBATO" trace info "$bundled/matrix_product-64.pack" | awk '$1 == "warps" { print $2 }')" 16
"$RUBATO" trace dump "$bundled/histogram-64.pack" >"$WORK/dump"
check 'a wait precedes the use of a load, and a barrier' awk '
    $5 ~ /^(FLAT|DS)_/ { sent = 1; if ($6 != "-") owed[$6] = 1 }
    $5 == "S_WAITCNT" { delete owed; sent = 0; waits++ }
    $5 == "S_BARRIER" && sent { exit bad = 1 }
    { split($7, sources, ","); for (i in sources) if (sources[i] in owed && $5 != "S_WAITCNT") exit bad = 1 }
    $5 == "S_ENDPGM" { delete owed; sent = 0 }
    END { exit bad || !waits }' "$WORK/dump"

# --- streams run at 85 to 95 % of the memory's peak: one that is read; two that are read and one that is written; one and one. Refresh
# takes 7 % of it on qv100, 4 % on r9nano, and turns of the bus the rest (docs/spec/gpu-traces.md 12.6)
for stream in reduction vector_add strided_copy; do
    for system in qv100:$stream-stream r9nano:$stream-stream-64; do
        xz -dc "$bundled/${system#*:}.pack.xz" >"$WORK/stream.pack"
        timeout 120 "$RUBATO" replay "${system%:*}" "$WORK/stream.pack" >"$WORK/replay" 2>/dev/null
        check "$stream on ${system%:*}: bound by DRAM, at 85 to 95 % of its peak" awk '/^bound by +DRAM bandwidth: / {
            good = $5 >= 85 && $5 <= 95 && $10 >= 90 } END { exit !good }' "$WORK/replay"
    done
done

# --- traces of tracers as Accel-Sim's text: the same but for their files' names
for trace in "$TRACES"/gpu/* "$TRACES"/gpu-raw "$TRACES"/gpu-raw/grouped; do
    rm -rf "$WORK/accel" && "$RUBATO" trace convert "$trace" --to accel-sim -o "$WORK/accel" >/dev/null 2>&1
    "$RUBATO" trace dump "$trace" 2>/dev/null | grep -v '^# kernel' >"$WORK/dump"
    "$RUBATO" trace dump "$WORK/accel" 2>/dev/null | grep -v '^# kernel' >"$WORK/dump.accel"
    check "$(basename "$trace"): as Accel-Sim's text it is read back the same" sh -c 'test -s "$1" && cmp -s "$1" "$2"' sh "$WORK/dump" "$WORK/dump.accel"
done

# --- what needs no Oclgrind
refused 'no program' 'no program was given' "$RUBATO" capture --opencl
refused 'a warp that there is not' 'expected 32 or 64' "$RUBATO" capture --opencl --warp 16 true
refused '--warp without --opencl' '--warp is for --opencl' "$RUBATO" capture --warp 32 true
refused 'options of instruction traces' 'of the other options it takes' "$RUBATO" capture --opencl --threads main true
refused 'a name of another format' 'ends in .rbt' "$RUBATO" capture --opencl -o "$WORK/x.rbt" true
refused '--to accel-sim of an elastic trace' 'is no trace of GPU kernels' "$RUBATO" trace convert "$TRACES/triad" --to accel-sim -o "$WORK/x"

if [ ! -f "$(dirname "$RUBATO")/$BUILD/capture-oclgrind.so" ] && [ ! -f "$(dirname "$RUBATO")/capture-oclgrind.so" ]; then
    refused 'no plugin: what to install' 'plugin for Oclgrind is missing' "$RUBATO" capture --opencl -o "$WORK/none.pack" /bin/true
    skip 'captures (40): no plugin for Oclgrind (liboclgrind-dev, llvm-dev)'
    exit 0
fi
mkdir "$WORK/empty"
refused 'no Oclgrind: what to install' 'apt-get install oclgrind' env PATH="$WORK/empty" "$RUBATO" capture --opencl -o "$WORK/none.pack" /bin/true
for needed in oclgrind "${CC%% *}"; do
    have "$needed" || { skip "captures (40): no $needed"; exit 0; }
done
compile() { "${CC%% *}" -std=c17 -O1 -w -o "$WORK/$1" "$programs/$1.c" -lOpenCL 2>"$WORK/log"; }
compile vector_add || { skip 'captures (40): no OpenCL library (ocl-icd-opencl-dev)'; exit 0; }

captured() {    # NAME PROGRAM...: WORK/NAME.pack; messages in WORK/NAME.table
    local name=$1
    shift
    timeout 100 "$RUBATO" capture --opencl -o "$WORK/$name.pack" "$@" >"$WORK/$name.out" 2>"$WORK/$name.table" </dev/null
}

# Counts follow from the code that Clang 14 makes; with another LLVM they are Oclgrind's.
clang14=$(for library in /usr/lib*/liboclgrind.so /usr/lib/*/liboclgrind.so; do readelf -d "$library" 2>/dev/null; done | grep -c 'libLLVM-14\.')
[ "$clang14" != 0 ] || skip 'counts by code, bundled traces again (30): Oclgrind has another LLVM than 14'

# --- six programs on three sizes
sizes='vector_add:1024,4096,16384 strided_copy:1024,4096,16384 reduction:16384,8192,65536 divergent_branch:1024,64,4096
    histogram:1024,256,4096 matrix_product:32,16,64'
for entry in $sizes; do
    program=${entry%:*}
    check "$program compiles" compile "$program"
    for size in $(echo "${entry#*:}" | tr , ' '); do
        captured x "$WORK/$program" "$size"
        check "$program $size: exit code 0, and its results are right" test $? = 0 -a -z "$(grep 'code is [1-9]' "$WORK/x.table")"
        [ "$clang14" = 0 ] || same_counts "$program $size: counts" "$(found "$WORK/x.pack")" "$(expected "$program" "$size")"
        [ -f "$WORK/first.pack" ] || cp "$WORK/x.pack" "$WORK/first.pack"
    done
    # The first size: as bundled, and as Oclgrind counts.
    size=${entry#*:} && size=${size%%,*}
    "$RUBATO" trace dump "$WORK/first.pack" >"$WORK/dump" && "$RUBATO" trace dump "$bundled/$program.pack" >"$WORK/dump.bundled"
    [ "$clang14" = 0 ] || check "$program $size: as it is bundled" cmp -s "$WORK/dump" "$WORK/dump.bundled"
    # Oclgrind's histogram: LLVM's names, which are the last token of SASS opcodes; loads and stores by space.
    LC_ALL=C oclgrind --inst-counts "$WORK/$program" "$size" 2>&1 |
        awk '$2 == "-" { name = $3
                if (name == "call") { name = substr($4, 3); digits = name + 0; name = substr(name, length(digits) + 1, digits) }
                sum[name == "ret" ? "exit" : name] += $1 }
            END { for (name in sum) print name, sum[name] }' | sort >"$WORK/own"
    awk 'function bits(digits,    i, n) { n = 0; for (i = 1; i <= length(digits); i++) n += count[substr(digits, i, 1)]; return n }
        BEGIN { split("0 1 1 2 1 2 2 3 1 2 2 3 2 3 3 4", of, " "); for (i = 0; i < 16; i++) count[sprintf("%x", i)] = of[i + 1] }
        /^[0-9]/ { name = $5; sub(/.*\./, "", name); sum[name] += bits($4) }
        END { for (name in sum) print name, sum[name] }' "$WORK/dump" | sort >"$WORK/ours"
    if diff "$WORK/own" "$WORK/ours" >"$WORK/diff"; then ok "$program $size: each instruction as often as Oclgrind counts it"
    else not_ok "$program $size: each instruction as often as Oclgrind counts it"; head -n 5 "$WORK/diff" | sed 's/^/    /'; fi
    captured wide --warp 64 "$WORK/$program" "$size"
    "$RUBATO" trace dump "$WORK/wide.pack" >"$WORK/dump" && "$RUBATO" trace dump "$bundled/$program-64.pack" >"$WORK/dump.bundled"
    [ "$clang14" = 0 ] || check "$program $size: warps of 64 as they are bundled" cmp -s "$WORK/dump" "$WORK/dump.bundled"
    rm "$WORK/first.pack"
done

# --- all else that a kernel may do
check 'mixed compiles' compile mixed
LC_ALL=C oclgrind --inst-counts "$WORK/mixed" 2>/dev/null | awk '$2 == "-" { sum += $1 } END { print sum }' >"$WORK/own"
for lanes in 32 64; do
    captured mixed --warp "$lanes" "$WORK/mixed"
    check "mixed, $lanes lanes: as many instructions as Oclgrind counts" \
        test "$(awk '/ instructions of work-items$/ { print $1 }' "$WORK/mixed.table")" = "$(cat "$WORK/own")"
    rm -rf "$WORK/accel" && "$RUBATO" trace convert "$WORK/mixed.pack" --to accel-sim -o "$WORK/accel" >/dev/null 2>&1
    "$RUBATO" trace dump "$WORK/mixed.pack" >"$WORK/dump" && "$RUBATO" trace dump "$WORK/accel" >"$WORK/dump.accel"
    check "mixed, $lanes lanes: as Accel-Sim's text it is read back the same" cmp -s "$WORK/dump" "$WORK/dump.accel"
    check "mixed, $lanes lanes: a barrier waits for the copy" grep -qE 'BAR.SYNC.wait_group_events|S_BARRIER' "$WORK/dump"
    check "mixed, $lanes lanes: a mapping is a copy back, and to the device" test "$(grep -cE '^# copy (back )?0xc[0-9a-f]*10 32$' "$WORK/dump")" = 2
done
check 'mixed on qv100' sh -c '"$1" capture --opencl --quiet -o "$2/mixed.pack" -- "$2/mixed" >/dev/null && "$1" replay qv100 "$2/mixed.pack" --quiet' sh "$RUBATO" "$WORK"

# --- what a trace keeps
"$RUBATO" trace dump "$bundled/matrix_product.pack" | sed -n '/^#/p' >"$WORK/head"
check 'geometry' grep -qx '# grid 2,2,1' "$WORK/head"
check 'local memory of a block' grep -qx '# shmem 2048' "$WORK/head"
check 'a buffer as argument' grep -qE '^# argument 0 = float\* a, global memory at 0x[0-9a-f]+$' "$WORK/head"
check 'a value as argument' grep -qx '# argument 3 = uint n, value 0x20' "$WORK/head"
check 'copies to the device' test "$(grep -c '^# copy 0x' "$WORK/head")" = 2
check 'copies to the host' test "$("$RUBATO" trace dump "$bundled/matrix_product.pack" | grep -c '^# copy back 0x')" = 1
check 'registers are an estimate' grep -q 'registers a thread are an estimate' "$WORK/head"
check 'verify' "$RUBATO" trace verify "$bundled/matrix_product.pack" >/dev/null

# --- what goes wrong
check 'faults compiles' compile faults
ends_with() {    # NAME CODE PATTERN WHAT BLOCKS: captures faults WHAT
    captured faulty "$WORK/faults" "$4"
    local code=$?
    if [ "$code" = "$2" ] && grep -qE -- "$3" "$WORK/faulty.table"; then ok "$1"
    else not_ok "$1"; echo "    exit code $code, expected $2 and $3"; tail -n 3 "$WORK/faulty.table" | cut -c 1-200 | sed 's/^/    /'; fi
    if [ "$5" = 0 ]; then check "$1: no file" test ! -e "$WORK/faulty.pack"
    else check "$1: $5 work-groups" test "$("$RUBATO" trace info "$WORK/faulty.pack" | awk '$1 == "blocks" { print $2 }')" = "$5"; fi
    rm -f "$WORK/faulty.pack"
}
ends_with 'writes behind a buffer' 0 'Oclgrind reports 3 errors.*Invalid write of size 4' bounds 4
(ulimit -c 0; ends_with 'a program that aborts' 3 'ended by signal 6' abort 4; ends_with 'a kernel that a signal ends' 3 'ended by signal 14' crash 2)
ends_with 'no kernel' 3 'before it ran a kernel' none 0
refused 'a program without OpenCL' 'without using OpenCL' "$RUBATO" capture --opencl -o "$WORK/none.pack" /bin/true
refused 'a program that is missing' 'No such file' "$RUBATO" capture --opencl "$WORK/nothing"
mkdir "$WORK/disk"
if unshare -rm mount -t tmpfs -o size=16k tmpfs "$WORK/disk" 2>/dev/null; then
    unshare -rm sh -c 'mount -t tmpfs -o size=24k tmpfs "$1/disk" && "$2" capture --quiet --opencl -o "$1/disk/x.pack" -- "$1/vector_add" 262144
        code=$?; cp "$1/disk/x.pack" "$1/full.pack"; exit $code' sh "$WORK" "$RUBATO" >"$WORK/full" 2>&1
    check 'a full disk: exit code 3' test $? = 3
    check 'a full disk: the reason' grep -q 'No space left' "$WORK/full"
    check 'a full disk: earlier kernels are whole' "$RUBATO" trace verify "$WORK/full.pack" >/dev/null
else
    skip 'a full disk (3): no name spaces'
fi
exit "$failures"
