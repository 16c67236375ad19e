# The half of the programs that one is of: sourced by pairs.sh and limits.sh.

# Those whose causes were looked at are of the choosing half (README.md).
half_of() {
    local hash
    local looked_at=" atomic_stack btree_walk calendar collatz columns cuckoo life log_lines lru_cache message_pack"
    looked_at+=" newton primes quantise queens red_black ring_hash rounding search serialiser sha512 shell_sort spheres"
    looked_at+=" splice spsc_ring stencil_3d string_join ticket_counter tokeniser "
    [[ $looked_at != *" $1 "* ]] || { echo choosing; return; }
    hash=$(printf %s "$1" | md5sum | cut -c1-8)
    ((16#$hash % 2)) && echo unseen || echo choosing
}
