#!/usr/bin/env bash
# `trace dump` and `trace build` there and back: header, records, order and presence of fields. The bundled traces, and the files
# of TRACE_DIR (default: $SHARED/traces/elastic): tests/cli/trace_roundtrip.sh [TRACE_DIR]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

# round_trip FILE: the rebuilt file, decompressed, is the file byte for byte. gem5 writes fields by ascending number and so do we;
# equal bytes are equal headers, records, fields present, and order.
round_trip() {
    "$RUBATO" trace dump "$1" >"$WORK/text" && "$RUBATO" trace build "$WORK/text" -o "$WORK/back.proto.gz" || return 1
    if ! cmp <(gzip -dc "$1") <(gzip -dc "$WORK/back.proto.gz"); then
        "$RUBATO" trace dump "$WORK/back.proto.gz" | diff "$WORK/text" - | head -n 10
        return 1
    fi
}

# and the text of the rebuilt file is the text
again() { round_trip "$1" && "$RUBATO" trace dump "$WORK/back.proto.gz" | cmp - "$WORK/text"; }

for file in "$TRACES"/*/*.proto.gz; do
    check "bundled $(basename "$(dirname "$file")")/$(basename "$file")" again "$file"
done

folder=${1:-$SHARED/traces/elastic}
if [ -d "$folder" ]; then
    for file in "$folder"/*/*.proto.gz; do
        check "$(basename "$(dirname "$file")")/$(basename "$file")" round_trip "$file"
    done
else
    skip "traces there and back (26): no folder $folder"
fi
