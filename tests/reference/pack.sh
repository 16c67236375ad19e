#!/usr/bin/env bash
# Makes tests/reference/data/*.tar.xz of the whole reference data: pack.sh SHARED [ARCHIVE...]. data/README.md
# describes their content. Files that are .gz or .xz there are stored unpacked in the archives, as NAME~, because they
# compress better together: unpack.sh packs them again, fast. parts/ARCHIVE.tsv in each: a line a file, its bytes in
# the reference data, and SHA-256 of its content, unpacked where NAME~ is. The archives are the same each time.
set -eu
cd "$(dirname "$0")/../.."
shared=$(realpath "$1")
shift
archives=" ${*:-elastic o3 gpu insn command} "
to=$PWD/tests/reference/data
work=$(mktemp -d "${TMPDIR:-/tmp}/rubato-pack.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# take ARCHIVE PATH...: files and folders of the reference data
take() {
    local archive=$1 file
    [[ $archives = *" $archive "* ]] || return 0
    shift
    mkdir -p "$work/$archive/parts"
    (cd "$shared" && find "$@" -type f) | LC_ALL=C sort | while read -r file; do
        mkdir -p "$work/$archive/$(dirname "$file")"
        case $archive:$file in
            insn:* | *.tar.?z) cp "$shared/$file" "$work/$archive/$file" ;;
            *.gz) gzip -dc "$shared/$file" >"$work/$archive/$file~" ;;
            *.xz) xz -dc "$shared/$file" >"$work/$archive/$file~" ;;
            *) cp "$shared/$file" "$work/$archive/$file" ;;
        esac
        printf '%s\t%s\t%s\n' "$file" "$(stat -c %s "$shared/$file")" "$(sha256sum <"$(ls "$work/$archive/$file" "$work/$archive/$file~" 2>/dev/null)" | cut -d ' ' -f 1)"
    done >"$work/$archive/parts/$archive.tsv"
}

close() {    # ARCHIVE [OPTIONS of xz]
    [[ $archives = *" $1 "* ]] || return 0
    chmod -R u+rwX,go+rX,go-w "$work/$1"
    tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime=2026-11-28T00:00:00Z --format=ustar -C "$work/$1" . |
        xz -T1 --lzma2=${2:-preset=9e,dict=128MiB} -c >"$work/$1.tar.xz"
    mv "$work/$1.tar.xz" "$to/"
}

# ---- gem5's replays of elastic traces: whole traces, and all runs that need no others
traces='chase gups hashjoin qsort spmv triad'
# shellcheck disable=SC2086    # a list of names
take elastic $(printf 'traces/elastic/%s ' $traces) traces/elastic/README.md $(cd "$shared" && for case in oracle/elastic/*/case.json; do
    grep -o '"trace": *"[^"]*"' "$case" | sed 's/.*"\(.*\)"/\1/' | grep -qvxF "$(printf '%s\n' $traces)" || dirname "$case"
done)
close elastic

# ---- gem5's detailed core: all programs, statistics of all runs, one listing of the pipeline, one elastic trace of the same run
(cd "$shared" && ls -d traces/o3/* oracle/o3/* | grep -vE '^traces/o3/elastic$|\.pipe\.tsv\.xz$') >"$work/list"
# shellcheck disable=SC2046
take o3 $(cat "$work/list") oracle/o3/chase.base.pipe.tsv.xz traces/o3/elastic/gups
close o3 preset=9,dict=128MiB

# ---- Accel-Sim and MGPUSim: all sets, their counts and times, without the simulators' logs
# shellcheck disable=SC2046
take gpu traces/gpu $(cd "$shared" && ls -d oracle/gpu/* | grep -v '/logs$')
close gpu preset=9,lc=4,pb=0    # text

# ---- instruction traces of other tools, and field cases
take insn traces/insn traces/field
close insn

# ---- Ramulator 2.1: 64 runs, chosen by kind, then by length; the tables that the slow model reads
# shellcheck disable=SC2046
take command spec/command-dram oracle/command-dram/README.md oracle/command-dram/index.tsv oracle/command-dram/devices $(
    tests/reference/command_cases.sh "$shared/oracle/command-dram/index.tsv" bundled | sed 's|^|oracle/command-dram/|')
close command preset=9e,lc=4,pb=0    # text
ls -l "$to"
