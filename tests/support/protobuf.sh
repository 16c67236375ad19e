# Writes trace files byte by byte, also such as no writer would make. Bytes are texts of \xNN until they are written.

varint() {    # VALUE
    local value=$1
    while [ "$value" -ge 128 ]; do
        printf '\\x%02x' $((value & 127 | 128))
        value=$((value >> 7))
    done
    printf '\\x%02x' "$value"
}

field() {    # NUMBER VALUE, ...: integer fields
    while [ $# -ge 2 ]; do
        varint $(($1 << 3))
        varint "$2"
        shift 2
    done
}

text_field() {    # NUMBER TEXT
    varint $(($1 << 3 | 2))
    varint ${#2}
    local i
    for ((i = 0; i < ${#2}; i++)); do printf '\\x%02x' "'${2:i:1}"; done
}

message() {    # BYTES: with its length before it
    varint $((${#1} / 4))
    printf '%s' "$1"
}

MAGIC='\x67\x65\x6d\x35'

data_header() {    # WINDOW
    message "$(text_field 1 test)$(field 3 1000000000000 4 "$1")"
}

fetch_header() { message "$(text_field 1 test)$(field 3 1000000000000)"; }

write() {    # FILE BYTES...
    local file=$1
    shift
    printf '%b' "$(printf '%s' "$@")" >"$file"
}
