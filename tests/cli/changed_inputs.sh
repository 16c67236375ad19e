#!/usr/bin/env bash
# An input that changes while it is read: the run ends with exit code 2 and one line that names the file, no output gets its name. Each
# kind of trace, stores, what commands besides replay read; ways to change it: cut, cut within its last page, written over, bytes that
# change with the old time put back. What takes the file's name or name away changes nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

cd "$WORK" || exit 1
# A run waits for a reader of its commands (a pipe), so that the file changes in its midst, whatever the host's speed.
mkfifo gate
cut_off() { : >"$1"; }
cut_last() { truncate -s -1 "$1"; }
write_over() { head -c "$(stat -c %s "$1")" /dev/urandom | dd of="$1" conv=notrunc status=none bs=1M; }
flip_with_time() {
    touch -r "$1" time
    printf '\252' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") - 3)) conv=notrunc status=none
    touch -r time "$1"
}
grow() { printf x >>"$1"; }

# during FILE HOW ARGUMENTS...: changes FILE when the run has begun; the exit code is the run's
during() {
    local file=$1 how=$2 run reader code
    shift 2
    rm -f out.txt
    timeout -k 5 60 "$RUBATO" "$@" --stats out.txt --commands gate >stdout 2>stderr &
    run=$!
    exec 3<gate
    read -r -N 1000 _ <&3              # DRAM is at work
    "$how" "$file"
    cat <&3 >/dev/null &
    reader=$!
    exec 3<&-
    wait $run
    code=$?
    wait $reader
    return $code
}
changed() {    # NAME FILE HOW ARGUMENTS...
    local name=$1 file=$2 how=$3
    shift 3
    during "$file" "$how" "$@"
    check "$name, $how: exit code 2, the file's name, no output" \
        test $? = 2 -a "$(grep -c "^rubato: .*$file: was changed while it was read" stderr)" = 1 -a ! -e out.txt
}
for how in cut_off cut_last write_over flip_with_time grow; do
    cp "$TRACES/long/chase.pack" t.pack
    changed 'a store' t.pack $how replay default t.pack --quiet
    cp "$TRACES/detailed/chase.rbt" t.rbt
    changed 'an instruction trace' t.rbt $how replay laptop t.rbt --model detailed --quiet
    rm -rf pair
    cp -r "$TRACES/gups" pair
    changed 'elastic traces' pair/deptrace.proto.gz $how replay default pair --quiet --no-cache
done
cp "$TRACES/long/chase.pack" t.pack
replace() { cp "$TRACES/long/gups.pack" new.pack && mv new.pack "$1"; }
"$RUBATO" replay default t.pack --quiet --stats alone.txt >/dev/null 2>&1
same_stats() { diff <(grep -v ^host alone.txt) <(grep -v ^host out.txt) >/dev/null; }
for how in replace rm; do
    cp "$TRACES/long/chase.pack" t.pack
    during t.pack $how replay default t.pack --quiet
    check "$how: the file that was opened is read on" test $? = 0
    check "$how: its results" same_stats
done
exit $failures
