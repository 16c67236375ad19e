# RISC-V, as objdump -M no-aliases,numeric prints it.
function cleaned(s) { sub(/[ \t]*[#<].*/, "", s); return s }
function scope(name, text) { return name }
function is_undefined(name) { return name ~ /^(0x|\.|c\.unimp)/ || text ~ /,unknown$/ }
function reg(s) { return s ~ /^[xf][0-9]+$/ && s != "x0" ? s : "" }
function base_of(s) { sub(/.*\(/, "", s); sub(/\).*/, "", s); return reg(s) }
function is_link(r) { return r == "x1" || r == "x5" }
function memory(what, size, s) { address(base_of(s)); operand(what, size) }
function size_of(letter) { return letter == "b" ? 1 : letter == "h" ? 2 : letter == "w" ? 4 : 8 }
function class_of(name) {
    if (name ~ /^(mul)/) return "IntMult"
    if (name ~ /^(div|rem)/) return "IntDiv"
    if (name ~ /^(fadd|fsub)\./) return "FloatAdd"
    if (name ~ /^fmul\./) return "FloatMult"
    if (name ~ /^fdiv\./) return "FloatDiv"
    if (name ~ /^fsqrt\./) return "FloatSqrt"
    if (name ~ /^fn?m(add|sub)\./) return "FloatMultAcc"
    if (name ~ /^(fsgnj|fclass)/) return "FloatMisc"
    if (name ~ /^f(eq|lt|le|min|max)/) return "FloatCmp"
    if (name ~ /^(fcvt|fmv)/) return "FloatCvt"
    return "IntAlu"
}
function jump(d, n) {
    if (n != "" && is_link(n) && d != n) return "return"
    if (is_link(d)) return n == "" ? "direct_call" : "indirect_call"
    return n == "" ? "direct_jump" : "indirect_jump"
}
function opinion(name, n,    i, full) {
    full = name
    sub(/64$/, "", full)    # shifts by 0, which RV128 has by 64
    name = full
    sub(/^c\./, "", name)
    if (name ~ /^(fence|ecall|ebreak)/) {
        kind = name == "ecall" ? "sysenter" : ""
        class = "No_OpClass"
        return 1
    }
    if (name ~ /^f?l[bhwd]u?(sp)?$/) {
        class = "No_OpClass"
        memory("load", size_of(substr(name, name ~ /^f/ ? 3 : 2, 1)), op[2])
        writes(reg(op[1]))
        return 1
    }
    if (name ~ /^f?s[bhwd](sp)?$/) {
        class = "No_OpClass"
        memory("store", size_of(substr(name, name ~ /^f/ ? 3 : 2, 1)), op[2])
        data(reg(op[1]))
        return 1
    }
    if (name ~ /^(lr|sc|amo[a-z]+)\./) {
        class = "No_OpClass"
        marks = "atomic"
        memory(name ~ /^lr/ ? "load" : name ~ /^sc/ ? "store" : "loadstore", name ~ /\.w/ ? 4 : 8, op[n])
        writes(reg(op[1]))
        if (n == 3) data(reg(op[2]))
        return 1
    }
    class = class_of(name)
    if (name ~ /^b(eq|ne|lt|ge|ltu|geu|eqz|nez)$/) {
        kind = "conditional"
        for (i = 1; i < n; i++) data(reg(op[i]))
        target = op[n]; sub(/^0x/, "", target)
        return 1
    }
    if (name == "jal" || name == "j") {
        kind = jump(n == 2 ? reg(op[1]) : "", "")
        if (n == 2) writes(reg(op[1]))
        target = op[n]; sub(/^0x/, "", target)
        return 1
    }
    if (full == "jalr" || name == "jr" || full == "c.jalr") {
        i = full == "jalr" ? base_of(op[2]) : reg(op[1])
        data(i)
        writes(full == "c.jalr" ? "x1" : full == "jalr" ? reg(op[1]) : "")
        kind = jump(full == "c.jalr" ? "x1" : full == "jalr" ? reg(op[1]) : "", i == "" ? "x0" : i)
        return 1
    }
    if (name ~ /^csrr/) {
        class = "No_OpClass"
        writes(reg(op[1]))
        data(reg(op[3]))
        return 1
    }
    if (name ~ /^(unimp|wfi|[msu]ret|sfence)/) return 0
    writes(reg(op[1]))
    if (full ~ /^c\.(add|addi|addiw|addw|addi16sp|and|andi|or|xor|sub|subw|slli|srli|srai)$/) data(reg(op[1]))
    for (i = 2; i <= n; i++) data(reg(op[i]))
    return 1
}
