# x86-64, as objdump -M intel prints it. Tables of names: what the first operand is (written, read and written, read), flags,
# registers that the text does not show. From the Intel SDM, volume 2.
function cleaned(s) { sub(/[ \t]*[#<].*/, "", s); gsub(/[ \t]+$/, "", s); return s }
function scope(name, text) { return name }
function is_undefined(name) { return name ~ /^\(bad\)|^\./ }
BEGIN {
    n = split("rax rcx rdx rbx rsp rbp rsi rdi", full, " ")
    split("ax cx dx bx sp bp si di", word, " ")
    split("al cl dl bl spl bpl sil dil", low, " ")
    split("ah ch dh bh", high, " ")
    for (i = 1; i <= 8; i++) {
        of[full[i]] = of["e" word[i]] = of[word[i]] = of[low[i]] = full[i]
        bytes[full[i]] = 8; bytes["e" word[i]] = 4; bytes[word[i]] = 2; bytes[low[i]] = 1
        if (i <= 4) { of[high[i]] = full[i]; bytes[high[i]] = 1 }
    }
    for (i = 8; i <= 15; i++) {
        of["r" i] = of["r" i "d"] = of["r" i "w"] = of["r" i "b"] = "r" i
        bytes["r" i] = 8; bytes["r" i "d"] = 4; bytes["r" i "w"] = 2; bytes["r" i "b"] = 1
    }
    for (i = 0; i <= 31; i++) {
        of["xmm" i] = of["ymm" i] = of["zmm" i] = "xmm" i
        bytes["xmm" i] = 16; bytes["ymm" i] = 32; bytes["zmm" i] = 64
    }
    for (i = 0; i <= 7; i++) { of["k" i] = "k" i; bytes["k" i] = 8; of["mm" i] = of["st(" i ")"] = "x87"; of["tmm" i] = "tmm" i }
    of["st"] = "x87"
    for (i = 0; i <= 7; i++) bytes["mm" i] = 8
    n = split("BYTE 1 WORD 2 DWORD 4 QWORD 8 FWORD 6 TBYTE 10 OWORD 16 XMMWORD 16 YMMWORD 32 ZMMWORD 64", sizes, " ")
    for (i = 1; i < n; i += 2) size_named[sizes[i]] = sizes[i + 1] + 0
    # name pattern : first operand w rw r : flags (read r, write w, may write none m) : read : written : class
    table("mov|movabs|movbe|movnti|movzx|movsx|movsxd:w:::")
    table("lea:w:::")
    table("add|or|and|sub|xor|xadd:rw:w::")
    table("inc|dec|neg:rw:w::")
    table("not|bswap:rw:::")
    table("adc|sbb:rw:rw::")
    table("adcx|adox:rw:rw::")
    table("cmp|test:r:w::")
    table("imul:rw:w::")
    table("mul:r:w::")
    table("div|idiv:r:w:rax rdx:rax rdx")
    table("sh[lr]|sa[lr]|ro[lr]|shld|shrd:rw:w::")
    table("rc[lr]:rw:rw::")
    table("bt:r:w::")
    table("bt[csr]:rw:w::")
    table("bs[fr]:rw:w::")
    table("popcnt|[lt]zcnt|blsr|blsi|blsmsk|andn|bzhi|bextr:w:w::")
    table("pdep|pext|sarx|shlx|shrx|rorx:w:::")
    table("mulx:w::rdx:")
    table("crc32:rw:::")
    table("cmov[a-z]+:rw:r::")
    table("set(a|ae|b|be|e|ne|g|ge|l|le|o|no|p|np|s|ns):w:r::")
    table("cmpxchg:rw:w:rax:rax")
    table("cmpxchg(8|16)b:rw:w:rax rbx rcx rdx:rax rdx")
    table("xchg:rw:::")
    table("cbw|cwde|cdqe:::rax:rax")
    table("cwd|cdq|cqo:::rax:rdx")
    table("clc|stc:::::")
    table("cmc::rw::")
    table("cld|std|cli|sti:::::")
    table("lahf::r:rax:rax")
    table("sahf::w:rax:")
    table("ret|leave|pushf|popf::::")
    table("syscall::w::rcx r11")
    table("int3|hlt|ud2|ud1|ud0|sysenter|wait:::::")
    table("cpuid:::rax rcx:rax rbx rcx rdx")
    table("rdtsc::::rax rdx")
    table("rdtscp::::rax rdx rcx")
    table("xgetbv|rdpkru:::rcx:rax rdx")
    table("wrpkru|xsetbv:::rax rcx rdx:")
    table("rdrand|rdseed:w:w::")
    table("rdpid|rd[fg]sbase:w:::")
    table("wr[fg]sbase:r:::")
    table("rdssp[dq]:rw:::")
    table("incssp[dq]:r:::")
    table("xabort:::rax:rax")
    table("xend|lfence|mfence|sfence|vzeroupper|vzeroall:::::")
    table("xtest::w::")
    table("xbegin:r::rax:rax")
    table("ldmxcsr|vldmxcsr:r:::")
    table("stmxcsr|vstmxcsr:w:::")
    table("prefetch.*:r:::")
    # SSE: two operands; of the first a part is kept, or it is a source.
    table("mov(aps|apd|ups|upd|dqa|dqu|d|q)|lddqu|movnt(dq|ps|pd|q|dqa)|mov(mskps|mskpd|ddup|shdup|sldup|q2dq)|pmovmskb:w:::")
    table("pmov[sz]x..|pabs[bwd]|pshuf(d|hw|lw)|sqrtp[sd]|rcpps|rsqrtps|roundp[sd]|cvt(t?p[sd]2dq|dq2p[sd]|ps2pd|pd2ps)|pextr.|extractps|phminposuw|aesimc|aeskeygenassist:w:::")
    table("cvtt?s[sd]2si:w:::")
    table("movs[sd]|mov(lp|hp)[sd]|movhlps|movlhps:part:::")
    table("u?comis[sd]|ptest:r:w::")
    table("pcmpistri:r:w::rcx")
    table("pcmpestri:r:w:rax rdx:rcx")
    table("pcmpistrm:r:w::xmm0")
    table("pcmpestrm:r:w:rax rdx:xmm0")
    table("(p?blendv[bp][sd]?|sha256rnds2):rw::xmm0:")
    table("(add|sub|mul|div|min|max|sqrt|cmp[a-z]*|rcp|rsqrt|round|cvt(si2s[sd]|s[sd]2s[sd]|pi2ps))s?[sdi]?2?[sd]?[sd]?:rw:::")
    table("cvt(si2|ss2|sd2)s[sd]|(add|sub|mul|div|min|max|sqrt|rcp|rsqrt|round|cmp[a-z]*)s[sd]:rw:::")
    table("(add|sub|mul|div|min|max|and|andn|or|xor|unpck[lh]|shuf|cmp[a-z]*|h?add|h?sub|addsub|blend|dp)p[sd]:rw:::")
    table("p(add|sub|mul|and|andn|or|xor|cmp(eq|gt)|min|max|avg|sad|madd|unpck|ack|shufb|align|sign|hadd|hsub|s[lr][la]|insr|blendw|clmul|ackus|ackss)[a-z]*|mpsadbw|insertps|packuswb|packss(dw|wb)|packusdw|aes(enc|dec)(last)?|sha1.*|sha256msg.|gf2p8.*:rw:::")
    table("maskmov(q|dqu):r:::")
    # AVX: the first is written.
    table("vmov(aps|apd|ups|upd|dqa(32|64)?|dqu(8|16|32|64)?|d|q|nt(dq|ps|pd|dqa)|mskp[sd]|ddup|s[lh]dup)|vlddqu:w:::")
    table("vu?comis[sd]|vptest|vtestp[sd]:r:w::")
    table("kortest[bwdq]|ktest[bwdq]:r:w::")
    table("vpcmpistri:r:w::rcx")
    table("k(mov|and|andn|or|xor|xnor|not|unpck|shift[lr]|add)[a-z]*:w:::")
    table("vf[nm]*(add|sub)+(132|213|231)[ps][sd]|vp(ternlog|ermt2|ermi2|dp|madd52)[a-z0-9]*:rw:::")
    table("v(p?gather)[dq]+[ps]?[sdq]?:rw:::")
    table("v.*:w:::")
    # x87
    table("fnop|fld[1lznp].*|fxam|fchs|fabs|fscale|fsqrt|frndint|fprem1?|fyl2x.*|f2xm1|fpatan|fptan|fsin|fcos|fsincos|fxtract|ftst|fwait|fninit|fnclex|fdecstp|fincstp|emms:::x87:x87")
    table("fcomi|fcomip|fucomi|fucomip:r:w:x87:x87")
    table("fcmov[a-z]+:r:r:x87:x87")
    table("fst|fstp|fist|fistp|fisttp|fbstp|fnstcw|fnstsw|fnstenv|fnsave:w::x87:x87")
    table("fld|fild|fbld|fldcw|fldenv|frstor|f(add|sub|subr|mul|div|divr|com|comp|ucom|ucomp|xch|free)p?|fcompp|fucompp|fi(add|sub|subr|mul|div|divr|com|comp):r::x87:x87")
}
function table(line,    part, i) {
    split(line, part, ":")
    i = ++rule_count
    rule_name[i] = "^(" part[1] ")$"
    rule_first[i] = part[2]; rule_flags[i] = part[3]; rule_reads[i] = part[4]; rule_writes[i] = part[5]
}
function rule_of(name,    i) {
    if (name in rule_cache) return rule_cache[name]
    for (i = 1; i <= rule_count; i++) if (name ~ rule_name[i]) return rule_cache[name] = i
    return rule_cache[name] = 0
}
function operand_bytes(s) { return s in bytes ? bytes[s] : size_in(s) }
function is_memory(s) { return s ~ /\[|[defgsc]s:/ || s ~ / PTR / }
function plain(s) { sub(/\{.*/, "", s); return s }
function mask_of(s) { return match(s, /\{k[1-7]\}/) ? substr(s, RSTART + 1, 2) : "" }
function addresses(s,    part, n, i, t) {
    t = s
    if (t !~ /\[/) return
    sub(/^[^\[]*\[/, "", t); sub(/\].*/, "", t)
    gsub(/[-+*]/, " ", t)
    n = split(t, part, " ")
    for (i = 1; i <= n; i++) if (part[i] in of) address(of[part[i]])
}
function size_in(s,    first) {
    if (s ~ /BCST/) { sub(/^.*[{ ]?/, "", first); return s ~ /QWORD BCST/ ? 8 : s ~ /WORD BCST/ && s !~ /DWORD/ ? 2 : 4 }
    first = s; sub(/ .*/, "", first)
    return first in size_named ? size_named[first] : -1
}
# Stack of push, pop, call, ret: 8 bytes, 2 with a word.
function stack(what, size) { address("rsp"); operand(what, size) }
function reads_operand(s) { if (plain(s) in of) data(of[plain(s)]) }
function list(s, what,    part, n, i) {
    n = split(s, part, " ")
    for (i = 1; i <= n; i++) if (what == "r") data(part[i]); else writes(part[i])
}
function flags(how) {
    if (how ~ /r|m/) data("flags")
    if (how ~ /w/) writes("flags")
}
function string_operation(name, repeats,    size) {
    size = name ~ /b$/ ? 1 : name ~ /w$/ ? 2 : name ~ /d$/ ? 4 : name ~ /q$/ ? 8 : size_in(op[1] in of ? op[2] : op[1])
    if (op[1] in of) size = bytes[op[1]]
    if (op[2] in of) size = bytes[op[2]]
    name = substr(name, 1, 4)
    if (repeats) marks = "string"
    if (name ~ /movs|lods|cmps/) { address("rsi"); if (repeats) address("rcx"); operand("load", size) }
    if (name ~ /scas|cmps/) { address("rdi"); if (repeats) address("rcx"); operand("load", size) }
    if (name ~ /movs|stos/) { address("rdi"); if (repeats) address("rcx"); operand("store", size) }
    if (name ~ /stos|scas/) data("rax")
    if (name ~ /lods/) { writes("rax"); if (size < 4 || repeats) data("rax") }
    if (name ~ /cmps|scas/) { if (repeats) data("flags"); writes("flags") }
    if (repeats && name ~ /cmps|scas/) { data("rcx"); writes("rcx"); if (name ~ /movs|lods|cmps/) writes("rsi"); if (name !~ /lods/) writes("rdi"); return 1 }
    if (name ~ /movs|lods|cmps/) writes_address("rsi")
    if (name !~ /lods/) writes_address("rdi")
    if (repeats) writes_address("rcx")
    return 1
}
function opinion(name, n,    i, r, first, locked, repeats, prefix, memory_at, what, size, k, idiom, legacy) {
    if (n == 1) sub(/^0x/, "", op[1])
    while (name ~ /^(lock|rep|repz|repe|repnz|repne|bnd|notrack|data16|addr32|cs|ds|es|ss|fs|gs|xacquire|xrelease|rex(\..*)?)$/) {
        if (name == "lock") locked = 1
        if (name ~ /^rep/) repeats = 1
        prefix = name
        sub(/^[^ \t]+[ \t]*/, "", text)
        name = text; sub(/[ \t].*/, "", name)
        rest = text; if (!sub(/^[^ \t]+[ \t]+/, "", rest)) rest = ""
        n = split_operands(rest)
        if (name == "") return 1
        shown = name
        if (n == 1) sub(/^0x/, "", op[1])
    }
    sub(/,p[nt]$/, "", name)
    if (name ~ /^(nop|nopw|nopl|endbr64|endbr32|pause|xchg)$/ && (name != "xchg" || (op[1] == op[2] && op[1] == "ax"))) return 1
    if (name ~ /^(movs|cmps|lods|stos|scas)[bwdq]?$/ && (op[1] ~ /[de]s:|^(al|ax|eax|rax)$/ || n == 0)) return string_operation(name, repeats)
    if (name ~ /^j(r|e)?cxz$/) { kind = "conditional"; data("rcx"); target = op[1]; return 1 }
    if (name ~ /^loop/) { kind = "conditional"; data("rcx"); writes("rcx"); if (name != "loop") data("flags"); target = op[1]; return 1 }
    if (name == "jmp" || name == "call") {
        if (is_memory(op[1])) {
            kind = name == "jmp" ? "indirect_jump" : "indirect_call"
            addresses(op[1]); operand("load", size_in(op[1]))
        } else if (op[1] in of) { kind = name == "jmp" ? "indirect_jump" : "indirect_call"; data(of[op[1]]) }
        else { kind = name == "jmp" ? "direct_jump" : "direct_call"; target = op[1]; sub(/^0x/, "", target) }
        if (name == "call") stack("store", 8)
        return 1
    }
    if (name ~ /^j/) { kind = "conditional"; data("flags"); target = op[1]; return 1 }
    if (name == "xbegin") { kind = "conditional"; target = op[1]; data("rax"); writes("rax"); return 1 }
    if (name == "ret") { kind = "return"; stack("load", 8); return 1 }
    if (name == "leave") { address("rbp"); operand("load", 8); writes("rbp"); writes_address("rsp"); return 1 }
    if (name == "enter") {
        if (op[2] != "0x0") { address("rbp"); operand("load", 0) }
        stack("store", op[2] == "0x0" ? 8 : 0); data("rbp"); writes_address("rbp"); return 1 }
    if (name == "push") {
        if (is_memory(op[1])) { addresses(op[1]); operand("load", size_in(op[1])) }
        reads_operand(op[1])
        stack("store", op[1] in bytes && bytes[op[1]] == 2 ? 2 : is_memory(op[1]) ? size_in(op[1]) : prefix == "data16" ? 2 : 8)
        return 1
    }
    if (name == "pop") {
        stack("load", op[1] in bytes ? bytes[op[1]] : is_memory(op[1]) ? size_in(op[1]) : 8)
        if (is_memory(op[1])) { addresses(op[1]); operand("store", size_in(op[1])) }
        else { writes(of[op[1]]); if (bytes[op[1]] == 2) data(of[op[1]]) }
        return 1
    }
    if (name ~ /^pushf/) { stack("store", 8); data("flags"); return 1 }
    if (name ~ /^popf/) { stack("load", 8); writes("flags"); return 1 }
    if (name ~ /^(syscall|sysenter|int)$/) kind = "sysenter"
    if (name ~ /^(f?xsave|f?xrstor|fxsave|fxrstor|xsave[cos]?p?t?|xrstors?)(64)?$/) {
        if (name ~ /^x/) { data("rax"); data("rdx") }
        addresses(op[1]); operand(name ~ /xrstor/ ? "load" : name ~ /^fx/ || name ~ /xsavec/ ? "store" : "loadstore", name ~ /^fx/ ? 512 : 0)
        return name ~ /^(xsave|xrstor|fx)/
    }
    if (name == "xlat") return 0
    if (name ~ /^(clflush|clflushopt|clwb|cldemote)$/) { addresses(op[1]); data_not_addresses(); return 1 }
    r = rule_of(name)
    if (!r) return 0
    legacy = name !~ /^v|^k/
    first = rule_first[r]
    what = rule_flags[r]
    # One operand: the other factor is rax, the product in rax and rdx, or ax.
    if (name ~ /^i?mul$/ && n == 1) {
        data("rax"); writes("rax")
        size = op[1] in bytes ? bytes[op[1]] : size_in(op[1])
        if (size > 1) writes("rdx")
        if (size == 2) data("rdx")
        first = "r"
    }
    if (name ~ /^i?div$/) {
        size = op[1] in bytes ? bytes[op[1]] : size_in(op[1])
        data("rax"); writes("rax")
        if (size > 1) { data("rdx"); writes("rdx") }
    } else { list(rule_reads[r], "r"); list(rule_writes[r], "w") }
    if (name == "imul" && n == 3) first = "w"
    if (name ~ /^(sh[lr]|sa[lr]|ro[lr]|rc[lr]|shld|shrd)$/) {
        if (n == 1) { }
        else if (op[n] == "cl") what = what "m"
        else if (op[n] ~ /^0x([02468ace]0|0)$/ && !(op[n] ~ /[2468ace]0$/ && operand_bytes(op[1]) == 8 && op[n] !~ /[48c]0$/)) what = ""
    }
    if (name ~ /^(clc|stc)$/) what = "w"
    if (name ~ /^v?mov[sh]d?u?p?/ && 0) first = "w"
    if (first == "part") {    # movss: a load clears the rest, between registers, and of halves, it is kept
        first = is_memory(op[1]) ? "w" : is_memory(op[2]) && name ~ /^movs/ ? "w" : "rw"
    }
    # Zero idioms: equal sources.
    idiom = (name ~ /^(xor|sub)$/ && n == 2 && op[1] == op[2] && bytes[op[1]] >= 4) ||
            (name ~ /^(pxor|xorp[sd]|psub[bwdq]|pcmp(gt|eq)[bwdq])$/ && op[1] == op[2] && op[1] ~ /xmm/) ||
            (name ~ /^v(pxor[dq]?|xorp[sd]|psub[bwdq]|pcmp(gt|eq)[bwdq])$/ && op[2] == op[3] && op[1] ~ /mm/ && op[1] !~ /\{/)
    flags(what)
    for (i = 1; i <= n; i++) {
        if (is_memory(op[i])) {
            size = size_in(op[i])
            if (name == "lea") { addresses(op[i]); data_not_addresses(); continue }
            addresses(op[i])
            if (name ~ /^bt[csr]?$/ && op[2] in of) address(of[op[2]])
            if (op[1] ~ /\{k[1-7]\}/ || name ~ /maskmov|gather|scatter|^prefetch/) size = 0
            k = i > 1 || first == "r" ? "load" : first == "rw" ? "loadstore" : "store"
            if (size < 0) size = memory_size(name, n)
            operand(k, size)
            if (name == "xchg" || name == "xadd" && 0) marks = "atomic"
            continue
        }
        if (plain(op[i]) in of && idiom) { if (i == 1) writes(of[plain(op[i])]); continue }
        if (!(plain(op[i]) in of)) continue
        k = of[plain(op[i])]
        if (k == "x87") { data("x87"); writes("x87"); continue }
        if (i == 1 && first ~ /w/) {
            writes(k)
            if (first == "rw") data(k)
            else if (bytes[plain(op[i])] <= 2) data(k)
            if (mask_of(op[i]) != "" && op[i] !~ /\{z\}/ && k !~ /^k/) data(k)
        } else if (i == 1 && first == "") { }
        else data(k)
        if (i == 2 && name ~ /^(xchg|xadd)$/) writes(k)
        if (i == 2 && name == "mulx") { writes(k); data_list = without_register(data_list, k, op[3]) }
    }
    for (i = 1; i <= n; i++) if (mask_of(op[i]) != "") data(mask_of(op[i]))
    if (name ~ /gather/ && op[3] in of) writes(of[op[3]])
    if (name ~ /(gather|scatter)/) for (i = 1; i <= n; i++) if (mask_of(op[i]) != "") writes(mask_of(op[i]))
    if (name ~ /^(maskmov|vmaskmovdqu)/) { address("rdi"); operand("store", 0) }
    if (name ~ /^prefetch/) marks = "prefetch"
    if (locked) marks = "atomic"
    return 1
}
function without_register(l, r, other,    part, n, i, out) {
    if (other in of && of[other] == r) return l
    n = split(l, part, " ")
    for (i = 1; i <= n; i++) if (part[i] != r || r == "rdx") out = add(out, part[i])
    return out
}
# Without "PTR": of lea nothing; these have one size.
function memory_size(name, n,    i) {
    if (name ~ /^(fnstenv|fldenv)$/) return 28
    if (name ~ /^(fnsave|frstor)$/) return 108
    if (name ~ /^prefetch/) return 0
    for (i = 1; i <= n; i++) if (plain(op[i]) in bytes) return bytes[plain(op[i])]
    return -1
}
