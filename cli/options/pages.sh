#!/usr/bin/env bash
# pages.sh RUBATO FOLDER: writes a man page of the command, and of each command below it: rubato.1, rubato-sweep.1,
# rubato-trace-pack.1. Their date is SOURCE_DATE_EPOCH's, or that of the commit.
set -eu -o pipefail
rubato=$1
folder=$2
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
rm -rf "$folder"
mkdir -p "$folder"
page() {    # WORDS of the command
    local name="rubato${*:+ $*}"
    "$rubato" "$@" --help=man >"$folder/${name// /-}.1"
}
members() { "$rubato" "$@" --help=table | awk -F '\t' '$1 == "member" { print $2 }'; }

page
for command in $(members); do
    page "$command"
    [ "$command" != trace ] || for below in $(members trace); do page trace "$below"; done
done
