#!/usr/bin/env bash
# Version 6 of Accel-Sim's tracer: grouped, raw, .tracez and .zst are one trace, and the trace of version 5; written and read back;
# refusals.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

convert() { "$RUBATO" trace convert "$1" --to accel-sim -o "$2" --quiet "${@:3}" 2>"$WORK/err"; }    # FROM TO OPTIONS
stats() {    # FILE SYSTEM TRACE: without the names of files
    "$RUBATO" replay "$2" "$3" --stats "$WORK/stats.tsv" --per-instruction --quiet 2>/dev/null &&
        sed 's/kernel-[0-9][^[:space:]]*//; s,[^[:space:]]*/,,' "$WORK/stats.tsv" >"$1"
}
counts() { "$RUBATO" trace info "$1" 2>/dev/null | sed '1d; s/kernel-[^[:space:]]* *//; s/version [56]//'; }    # TRACE

# --- one kernel, both versions, all packings: equal counts, equal cycles, and version 5 again byte for byte
forms() {    # SYSTEM TRACE
    local name five form options
    name=$(basename "$2")
    five=$WORK/$name-5
    check "$name as version 5" convert "$2" "$five" --version 5
    check "$name: version 5 replayed" stats "$WORK/first" "$1" "$five"
    check "$name: it has executed something" grep -qE '^kernel	' "$WORK/first"
    counts "$five" >"$WORK/counts"
    for form in traceg traceg.gz traceg.xz traceg.zst tracez; do
        options=(--version 6)
        [ "$form" = traceg ] || options+=(--pack "${form#traceg.}")
        check "$name as version 6, $form" convert "$five" "$WORK/$name-$form" "${options[@]}"
        check "$name: $form is named so" test -f "$WORK/$name-$form/kernel-1.$form"
        check "$name: the same replay from $form" \
            eval "stats '$WORK/ours' '$1' '$WORK/$name-$form' && cmp '$WORK/ours' '$WORK/first'"
        check "$name: the same counts from $form" eval "counts '$WORK/$name-$form' | cmp - '$WORK/counts'"
        check "$name: version 5 again from $form" \
            eval "convert '$WORK/$name-$form' '$WORK/$name-$form-5' --version 5 && diff -r '$five' '$WORK/$name-$form-5'"
    done
    check "$name: version 6 stays version 6" \
        eval "convert '$WORK/$name-tracez' '$WORK/$name-6' && diff -r '$WORK/$name-traceg' '$WORK/$name-6'"
    check "$name: the same from a store of version 6" eval "'$RUBATO' trace pack '$WORK/$name-tracez' -o '$WORK/s.store' \
        --quiet 2>/dev/null && stats '$WORK/ours' '$1' '$WORK/s.store' && cmp '$WORK/ours' '$WORK/first'"
    check "$name: the kernel's file alone" eval "stats '$WORK/first' '$1' '$five/kernel-1.traceg' &&
        stats '$WORK/ours' '$1' '$WORK/$name-tracez/kernel-1.tracez' && cmp '$WORK/ours' '$WORK/first'"
    rm -r "$WORK/$name"-*
}
forms rtx2060 tests/traces/gpu/volta-bfs-2blocks
forms titanx tests/traces/gpu/pascal-vectoradd-100

# --- a raw file of version 6, with what version 5 has not, is the grouped one and the container
six=tests/fuzz/corpus
mkdir "$WORK/raw" "$WORK/grouped"
cp $six/gpu_group/version6 "$WORK/raw/kernel-1.trace"
echo kernel-1.trace >"$WORK/raw/kernelslist"
cp $six/gpu_kernel/version6 "$WORK/grouped/kernel-1.traceg"
check 'raw' stats "$WORK/first" h100 "$WORK/raw"
check 'grouped' eval "stats '$WORK/ours' h100 '$WORK/grouped/kernel-1.traceg' && cmp '$WORK/ours' '$WORK/first'"
check 'trace group' "$RUBATO" trace group "$WORK/raw" -o "$WORK/group" --quiet
check 'as Accel-Sim groups it' cmp <(sed '/^$/d' "$WORK/group/kernel-1.traceg") <(sed '/^$/d' $six/gpu_kernel/version6)
xz=$WORK/raw/kernel-1.trace
check 'a store keeps clusters and groups' eval "'$RUBATO' trace pack '$WORK/grouped/kernel-1.traceg' -o '$WORK/six.store' --quiet 2>/dev/null &&
    convert '$WORK/six.store' '$WORK/unpacked' && convert '$WORK/grouped/kernel-1.traceg' '$WORK/rewritten' &&
    grep -q 'cluster rank = 1' '$WORK/unpacked/kernel-1.traceg' && diff -r '$WORK/unpacked' '$WORK/rewritten'"
check 'a raw .zst' eval "convert '$WORK/raw' '$WORK/one' --pack zst && cp '$WORK/one/kernel-1.traceg.zst' '$WORK/one/kernel-2.traceg.zst' &&
    stats '$WORK/ours' h100 '$WORK/one/kernel-2.traceg' && cmp '$WORK/ours' '$WORK/first'"
"$RUBATO" replay h100 "$xz" --quiet 2>"$WORK/err"
check 'copies of tiles are named' grep -q 'line 30: a copy of a tile or block .* (and 3 more)' "$WORK/err"
check 'and clusters' grep -q 'the block is one of a cluster' "$WORK/err"
check 'and loops that wait' grep -q 'a wait for a barrier in shared memory' "$WORK/err"
check 'uniform registers are not' eval "! grep -q 'another kind than R and S' '$WORK/err'"

# --- refusals: one line, with line or byte
wrong() {    # NAME PATTERN FILE: replayed and packed
    refused "$1" "$2" "$RUBATO" replay h100 "$3"
    refused "$1, packed" "$2" "$RUBATO" trace pack "$3" -o "$WORK/x"
}
broken() {    # BYTES NAME: of a container
    head -c "$1" $six/tracez/two_blocks >"$WORK/$2"
    echo "$WORK/$2"
}
sed 's/tracer version = 6/tracer version = 7/' $six/gpu_kernel/version6 >"$WORK/kernel-7.traceg"
wrong 'version 7' 'line 11: traces of tracer version 7 are not read; expected a version up to 6' "$WORK/kernel-7.traceg"
sed 's/cluster rank = 1/cluster rank = 21/' $six/gpu_kernel/version6 >"$WORK/kernel-8.traceg"
wrong 'a cluster that fits no GPU' 'line 49: block 1,0,0 of a cluster, its rank 21; expected a cluster of at most 16' \
    "$WORK/kernel-8.traceg"
wrong 'a container without its end' 'byte [0-9]+: the index is said to begin at byte .*was cut.* get it again' \
    "$(broken 1000 kernel-1.tracez)"
wrong 'a container cut in its header' 'byte 100: the header.s text has no zero byte' "$(broken 100 kernel-2.tracez)"
bytes=$(stat -c %s $six/tracez/two_blocks)
cp $six/tracez/two_blocks "$WORK/kernel-3.tracez"
printf '\7' | dd of="$WORK/kernel-3.tracez" bs=1 seek=$((bytes - 12)) conv=notrunc status=none
wrong 'an index that lies' 'byte [0-9]+: the frame has 2 lines; expected 7, which the index has at byte' "$WORK/kernel-3.tracez"
printf 'MemcpyHtoD,0x0,4\nkernel-9.tracez\n' >"$WORK/kernelslist.g"
wrong 'a container that is not there' "line 2: the kernel's file .*kernel-9.tracez is not there" "$WORK/kernelslist.g"
refused 'a version that is not written' 'version: "7"; expected 5 or 6' \
    "$RUBATO" trace convert "$WORK/raw" --to accel-sim --version 7 -o "$WORK/y"
refused 'a number with letters' 'version: "6zz"; expected 5 or 6' \
    "$RUBATO" trace convert "$WORK/raw" --to accel-sim --version 6zz -o "$WORK/y"
refused 'an unknown packing' 'pack: "zip"; expected gz, xz, zst or tracez' \
    "$RUBATO" trace convert "$WORK/raw" --to accel-sim --pack zip -o "$WORK/y"
refused 'a container of version 5' 'add --version 6' \
    "$RUBATO" trace convert tests/traces/gpu/pascal-vectoradd-100 --to accel-sim --pack tracez -o "$WORK/y"
refused 'GCN3' 'a kernel of GCN3, which version 6 of the tracer does not have' \
    "$RUBATO" trace convert tests/traces/gpu/gcn3-fir --to accel-sim --version 6 -o "$WORK/y"
refused 'without --to' 'version is for kernels of GPUs; add --to accel-sim' \
    "$RUBATO" trace convert "$WORK/raw" --version 6 -o "$WORK/y"
exit $failures
