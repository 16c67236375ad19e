#!/usr/bin/env bash
# The first replay of the README.
set -eu
cd "$(dirname "$0")/../.."
command=${RUBATO:-./rubato}
[ "$command" = "$PWD/rubato" ] && command=./rubato
echo "\$ $command replay wide tests/traces/long/chase.pack --set l2.size=1MiB"
"$command" replay wide tests/traces/long/chase.pack --set l2.size=1MiB
