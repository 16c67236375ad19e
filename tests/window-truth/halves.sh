# The half of the programs that one is of: sourced by pairs.sh and limits.sh.

# Those whose causes were looked at are of the choosing half (README.md).
half_of() {
    local hash
    local looked_at=" atomic_stack columns cuckoo message_pack primes queens rounding shell_sort spheres spsc_ring"
    looked_at+=" stencil_3d ticket_counter tokeniser "
    [[ $looked_at != *" $1 "* ]] || { echo choosing; return; }
    hash=$(printf %s "$1" | md5sum | cut -c1-8)
    ((16#$hash % 2)) && echo unseen || echo choosing
}
