#!/usr/bin/env bash
# Prints replay/config/shipped_files.h, which the build makes from the shipped systems: the bytes of each file as an array, and a table
# of their names and arrays in the order of the names; another one of the names of DRAM devices.
#
#     replay/config/shipped_files.sh FILE... >replay/config/shipped_files.h
#
# Names are those below configs/.
set -eu
export LC_ALL=C
n=0
for file in "$@"; do
    echo "static const unsigned char shipped_bytes_$n[] = {"
    od -An -v -tu1 -w32 "$file" | sed 's/  */,/g; s/^,/    /; s/$/,/'
    echo '};'
    n=$((n + 1))
done
echo '#define SHIPPED_FILES(F) \'
n=0
for file in "$@"; do
    echo "    F(\"${file#*configs/}\", shipped_bytes_$n) \\"
    n=$((n + 1))
done
echo
echo '#define SHIPPED_DEVICES(D) \'
for file in "$@"; do
    case $file in *configs/dram/command/*) ;; *configs/dram/*)
        name=${file##*/}
        echo "    D(\"${name%.yaml}\") \\"
    esac
done
echo
