#!/usr/bin/env bash
# The bundled trace of a STREAM triad on the default system.
set -eu
cd "$(dirname "$0")/../.."
command=${RUBATO:-./rubato}
[ "$command" = "$PWD/rubato" ] && command=./rubato
echo "\$ $command replay configs/default.yaml tests/traces/triad"
"$command" replay configs/default.yaml tests/traces/triad
