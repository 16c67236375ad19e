# A64, as objdump prints it.
function cleaned(s) { sub(/[ \t]*\/\/.*/, "", s); sub(/[ \t]*<.*/, "", s); return s }
function scope(name, text) {
    if (text ~ /[^a-z0-9](z|p|za|zt|pn)[0-9]+|[ {]za[. {\[]|vl[0-9]+|mul[0-9x]|mul #|pow2/ || name ~ /^(add(s?vl|s?pl)|cnt[bhwd]|[us]?q?(inc|dec)[bhwdp]|rdvl|rdsvl|ptrue|whilel.|cterm[a-z]+|setffr|smstart|smstop)$/)
        return "SVE or SME"
    if (name ~ /^(cpy|set)[fpmeg]/) return "MOPS"
    if (name ~ /^(ld|st)64b/) return "LS64"
    if (name ~ /^(tcancel|tstart|tcommit|ttest)$/) return "TME"
    if (name ~ /^m[rs][rs]$/ && text ~ /s0_/) return "system registers with op0 0"
    if (name ~ /^fml[as]l2?$/) return "fmlal of size 01"
    return name
}
function is_undefined(name) { return name ~ /^\./ }
function reg(s) {
    sub(/[.\[].*/, "", s)
    if (s ~ /^w?sp$/) return "sp"
    if (s ~ /^[wx][0-9]+$/) return "x" substr(s, 2)
    if (s ~ /^[vbhsdq][0-9]+$/) return "v" substr(s, 2)
    return ""
}
function width(s) {
    if (s ~ /^w/) return 4
    if (s ~ /^x/ || s == "sp") return 8
    return index(s, "b") == 1 ? 1 : s ~ /^h/ ? 2 : s ~ /^s/ ? 4 : s ~ /^d/ ? 8 : 16
}
# What is in brackets, and whether it is written back.
function place(i,    part, n, k, r, base) {
    r = op[i]
    sub(/^\[/, "", r); sub(/\].*/, "", r)
    n = split(r, part, /,[ ]*/)
    base = reg(part[1])
    for (k = 1; k <= n; k++) address(reg(part[k]))
    if (i < op_count) { address(reg(op[i + 1])); writes_address(base) }
    if (op[i] ~ /!$/) writes_address(base)
}
function element(s) { return s ~ /b/ ? 1 : s ~ /h/ ? 2 : s ~ /s/ ? 4 : 8 }
# "{v0.16b-v3.16b}", "{v0.b, v1.b}[3]" into vector_1.., their number is the value, bytes of all in list_bytes.
function vectors(s,    inner, part, n, i, first, last, shape, count_) {
    inner = s; sub(/^\{/, "", inner); sub(/\}.*/, "", inner)
    shape = inner; sub(/^v[0-9]+\./, "", shape); sub(/[-, ].*/, "", shape)
    if (index(inner, "-")) {
        split(inner, part, "-")
        first = int(substr(part[1], 2)); last = int(substr(part[2], 2))
        for (i = first; ; i = (i + 1) % 32) { vector[++count_] = "v" i; if (i == last) break }
    } else {
        n = split(inner, part, /,[ ]*/)
        for (i = 1; i <= n; i++) vector[++count_] = reg(part[i])
    }
    list_bytes = count_ * (s ~ /\}\[/ ? element(shape) : (substr(shape, 1, match(shape, /[bhsd]/) - 1) + 0) * element(shape))
    list_element = count_ * element(shape)
    return count_
}
function suffix_bytes(s, register) {
    return s ~ /^s?b$/ ? 1 : s ~ /^s?h$/ ? 2 : s == "sw" ? 4 : width(register)
}
function structure(name,    n, i, lane) {
    n = vectors(op[1])
    lane = op[1] ~ /\}\[/
    for (i = 1; i <= n; i++) {
        if (name ~ /^st/ || lane) data(vector[i])
        if (name ~ /^ld/) writes(vector[i])
    }
    place(2)
    operand(name ~ /^st/ ? "store" : "load", name ~ /r$/ ? list_element : list_bytes)
    return 1
}
function memory(name, n,    i, rest, size) {
    if (name ~ /^(ld|st)[1-4]r?$/) return structure(name)
    for (i = 1; i <= n && op[i] !~ /^\[/; i++) ;
    if (name ~ /^prfu?m$/) {
        marks = "prefetch"
        if (i <= n) place(i)
        operand("load", 0)
        return 1
    }
    if (name ~ /^(stg|st2g|ldg)$/) {    # tags: no data
        data(reg(op[1]))
        place(i); data_not_addresses()
        if (name == "ldg") writes(reg(op[1]))
        return 1
    }
    if (name ~ /^stz2?g$/) {
        data(reg(op[1])); place(i)
        operand("store", name == "stzg" ? 16 : 32)
        return 1
    }
    if (name ~ /^(ldp|stp|ldnp|stnp|ldpsw|stgp)$/) {
        place(i)
        operand(name ~ /^l/ ? "load" : "store", name == "stgp" ? 16 : name == "ldpsw" ? 8 : 2 * width(op[1]))
        for (i = 1; i <= 2; i++) if (name ~ /^l/) writes(reg(op[i])); else data(reg(op[i]))
        return 1
    }
    if (name ~ /^(lda?xp|stl?xp)$/) {
        marks = "atomic"
        place(i)
        operand(name ~ /^l/ ? "load" : "store", 2 * width(op[i - 1]))
        if (name ~ /^s/) { writes(reg(op[1])); data(reg(op[2])); data(reg(op[3])) }
        else { writes(reg(op[1])); writes(reg(op[2])) }
        return 1
    }
    if (name ~ /^casp/) {
        marks = "atomic"
        place(i)
        operand("loadstore", 2 * width(op[1]))
        for (i = 1; i <= 4; i++) data(reg(op[i]))
        writes(reg(op[1])); writes(reg(op[2]))
        return 1
    }
    if (name ~ /^(cas|swp)a?l?[bh]?$/ || name ~ /^(ld|st)(add|clr|eor|set|smax|smin|umax|umin)a?l?[bh]?$/) {
        marks = "atomic"
        rest = name ~ /[^ ]b$/ ? "b" : name ~ /h$/ ? "h" : ""
        place(i)
        operand("loadstore", suffix_bytes(rest, op[1]))
        data(reg(op[1]))
        if (name ~ /^cas/) { data(reg(op[2])); writes(reg(op[1])) } else if (name !~ /^st/) writes(reg(op[2]))
        return 1
    }
    if (name ~ /^(ld|st)l?a?xr[bh]?$/) {
        marks = "atomic"
        place(i)
        operand(name ~ /^l/ ? "load" : "store", suffix_bytes(name ~ /b$/ ? "b" : name ~ /h$/ ? "h" : "", op[i - 1]))
        writes(reg(op[1]))
        if (name ~ /^s/) data(reg(op[2]))
        return 1
    }
    if (name ~ /^ldra[ab]$/) {
        place(i); operand("load", 8); writes(reg(op[1]))
        return 1
    }
    if (name ~ /^(ld|st)(r|ur|tr|ar|lar|apr|apur|lr|lur|llr)(sb|sh|sw|b|h)?$/) {
        rest = name
        sub(/^(ld|st)(apur|apr|lar|llr|lur|ur|tr|ar|lr|r)/, "", rest)
        if (i <= n) place(i)
        operand(name ~ /^l/ ? "load" : "store", suffix_bytes(rest, op[1]))
        if (name ~ /^l/) writes(reg(op[1])); else data(reg(op[1]))
        return 1
    }
    return 0
}
function class_of(name) {
    if (op[1] ~ /^v/) return ""
    if (name ~ /^(u|s)div$/) return "IntDiv"
    if (name ~ /^(mul|mneg|madd|msub|[su]m(addl|subl|negl|ull|ulh))$/ && op[1] ~ /^[wx]/) return "IntMult"
    if (name ~ /^(fadd|fsub)$/) return "FloatAdd"
    if (name ~ /^fn?mul$/ && op[3] !~ /\[/) return "FloatMult"
    if (name == "fdiv") return "FloatDiv"
    if (name == "fsqrt") return "FloatSqrt"
    if (name ~ /^fn?m(add|sub)$/) return "FloatMultAcc"
    return ""
}
# What keeps a part of its destination, or adds to it.
function keeps(name) {
    if (name ~ /^(movk|bfi|bfxil|bfc|bfm|ins|tbx|bsl|bit|bif|mla|mls|fmla|fmls|fmlal2?|fmlsl2?|[su]aba|[su]abal2?|[su]mlal2?|[su]mlsl2?)$/)
        return 1
    if (name ~ /^(sqdmlal2?|sqdmlsl2?|sqrdmlah|sqrdmlsh|[su]dot|usdot|sudot|bfdot|bfmmla|bfmlal[bt]|[su]mmla|usmmla|fcmla)$/) return 1
    if (name ~ /^([su]r?sra|sri|sli|[su]adalp|suqadd|usqadd|aes[ed]|sha1[cpm]|sha1su[01]|sha256.*|sha512.*|sm3partw.|sm3tt.*|sm4e)$/) return 1
    if (name ~ /^((u|s)?q?xtu?n|fcvtx?n|bfcvtn|s?qr?shru?n|uqr?shrn|r?shrn|r?addhn|r?subhn|sqxtun)2$/) return 1
    if (name ~ /^(pac|aut|xpac)/ && name !~ /^pacga$/) return 1
    # A lane: "mov v0.s[1], w0".
    return name ~ /^f?mov$/ && op[1] ~ /^v[0-9]+\.[bhsd]\[/
}
function opinion(name, n,    i, k) {
    sub(/^0x/, "", op[n])
    op_count = n
    if (name ~ /^b\.|^bc\./) { kind = "conditional"; data("flags"); target = op[1]; class = "IntAlu"; return 1 }
    if (name == "b" || name == "bl") {
        kind = name == "b" ? "direct_jump" : "direct_call"; target = op[1]; class = "IntAlu"
        if (name == "bl") writes("x30")
        return 1
    }
    if (name ~ /^(br|blr|ret)(aaz?|abz?)?$/) {
        kind = name ~ /^blr/ ? "indirect_call" : name ~ /^br/ ? "indirect_jump" : "return"
        if (n == 0) data("x30")
        if (name ~ /^ret.+/) data("sp")
        for (i = 1; i <= n; i++) data(reg(op[i]))
        if (name ~ /^blr/) writes("x30")
        return 1
    }
    if (name ~ /^cbn?z$|^tbn?z$/) { kind = "conditional"; data(reg(op[1])); target = op[n]; return 1 }
    if (name ~ /^(eret|drps)/) { kind = "other_branch"; if (name ~ /a/) data("sp"); return 1 }
    if (name ~ /^(svc|hvc|smc)$/) { kind = "sysenter"; return 1 }
    if (name ~ /^(nop|yield|wfe|wfi|sevl?|hint|bti|esb|psb|tsb|csdb|dgh|brk|hlt|dcps[123]|udf|clrex|isb|dsb|dmb|sb|ssbb|pssbb)$/) return 1
    if (name ~ /^(wfet|wfit)$/) return 1
    if (name ~ /^(pac|aut)i[ab](z|sp|1716)$/ || name == "xpaclri") {
        k = name ~ /1716/ ? "x17" : "x30"
        data(k); writes(k)
        if (name ~ /1716/) data("x16")
        if (name ~ /sp$/) data("sp")
        return 1
    }
    if (name ~ /^(cfinv|xaflag|axflag|setf8|setf16|rmif)$/) { data("flags"); writes("flags"); for (i = 1; i <= n; i++) data(reg(op[i])); return 1 }
    if (name == "dc" && op[1] ~ /^g?zva$/) { address(reg(op[2])); operand("store", 0); return 1 }
    if (name ~ /^(dc|ic|at|tlbi|sys|msr|cfp|cpp|dvp)$/) {
        data(reg(op[n]))
        if (name == "msr" && op[1] == "nzcv") writes("flags")
        return 1
    }
    if (name == "mrs" || name == "sysl") {
        writes(reg(op[1]))
        if (op[2] == "nzcv") data("flags")
        if (op[2] ~ /^rndrr?s?$/) writes("flags")
        return 1
    }
    if (name ~ /^(ld|st|prf|cas|swp)/) return memory(name, n)
    class = class_of(name)
    if (name ~ /^(cmp|cmn|tst|fcmpe?|cmpp)$/) { writes("flags"); for (i = 1; i <= n; i++) data(reg(op[i])); return 1 }
    if (name ~ /^(ccmp|ccmn|fccmpe?)$/) { data("flags"); writes("flags"); data(reg(op[1])); data(reg(op[2])); return 1 }
    if (name ~ /^(tbl|tbx)$/) {
        k = vectors(op[2])
        for (i = 1; i <= k; i++) data(vector[i])
        data(reg(op[3])); writes(reg(op[1]))
        if (name == "tbx") data(reg(op[1]))
        return 1
    }
    writes(reg(op[1]))
    if (name ~ /^(adds|subs|ands|bics|adcs|sbcs|negs|ngcs|subps|fjcvtzs)$/) writes("flags")
    if (name ~ /^(adc|adcs|sbc|sbcs|ngc|ngcs|csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|fcsel)$/) data("flags")
    if (keeps(name)) data(reg(op[1]))
    if (name ~ /^(orr|bic)$/ && op[1] ~ /^v/ && n < 4 && op[2] ~ /^#/) data(reg(op[1]))
    if (name !~ /^adrp?$/)     for (i = 2; i <= n; i++) data(reg(op[i]))
    return op[1] ~ /^[wx]?[vbhsdq]?[0-9a-z]+/
}
