# The half of the programs that one is of: sourced by pairs.sh and limits.sh.

# Those whose errors were looked at before the split are of the choosing half.
half_of() {
    local hash
    [[ " columns primes queens shell_sort spheres stencil_3d tokeniser " != *" $1 "* ]] || { echo choosing; return; }
    hash=$(printf %s "$1" | md5sum | cut -c1-8)
    ((16#$hash % 2)) && echo unseen || echo choosing
}
