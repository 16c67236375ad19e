#!/usr/bin/env bash
# Unpacks the bundled part of the reference data, tests/reference/data/*.tar.xz, into build/reference, where tests look for it if there is no
# ../shared: the same folders and names. Does nothing if that was done; several at a time wait for the first. build/reference/part tells it
# from the whole: a line for each file.
set -eu
cd "$(dirname "$0")/../.."
to=build/reference

is_done() {
    local archive
    for archive in tests/reference/data/*.tar.xz; do
        [ "$to/part" -nt "$archive" ] || return 1
    done
}
is_done && exit
mkdir -p build
exec 9>build/reference.lock
flock 9
is_done && exit

rm -rf "$to" "$to.new"
mkdir -p "$to.new"
for archive in tests/reference/data/*.tar.xz; do
    xz -dc "$archive" | tar -x --no-same-owner -m -C "$to.new" -f -
done
# As in the whole reference data, packed: .gz as well as there, since benchmarks compare with zcat, .xz fast.
find "$to.new" -name '*.xz~' -print0 | xargs -0 -r -P "$(nproc)" -n 4 sh -c 'for f; do xz -0 -T1 <"$f" >"${f%\~}" && rm "$f" || exit 255; done' sh
find "$to.new" -name '*.gz~' -print0 | xargs -0 -r -P "$(nproc)" -n 16 sh -c 'for f; do gzip -n <"$f" >"${f%\~}" && rm "$f" || exit 255; done' sh
LC_ALL=C sort "$to.new"/parts/*.tsv >"$to.new/part"
rm -r "$to.new/parts"
mv "$to.new" "$to"
