/* One line for each group of names; the first match decides. "*" matches any letters, "[...]" one of these. Names are
 * those of the Intel SDM, volume 2. Scalar floating point (ss, sd, sh) is Float..., packed (ps, pd, ph)
 * SimdFloat.... */
#include "proto/isa/x86_class.h"

struct line {
    const char *names;
    uint8_t class;
};

#define L(names, class) {names, ISA_CLASS_##class}

static const struct line integer[] = {
    L("imul", INT_MULT), L("mul", INT_MULT), L("mulx", INT_MULT), L("div", INT_DIV), L("idiv", INT_DIV),
    L("aam", INT_DIV), L("aad", INT_MULT),
    L("nop", NO_OP), L("endbr*", NO_OP), L("pause", NO_OP), L("*fence", NO_OP), L("prefetch*", NO_OP), L("clflush*",
    NO_OP),
    L("clwb", NO_OP), L("cldemote", NO_OP), L("clzero", NO_OP), L("push*", NO_OP), L("pop", NO_OP), L("pop[afd]*",
    NO_OP),
    L("enter", NO_OP), L("leave", NO_OP), L("xlat", NO_OP), L("lods[bwdq]", NO_OP), L("stos[bwdq]", NO_OP),
    L("ins[bwd]", NO_OP), L("outs[bwd]", NO_OP), L("in", NO_OP), L("out", NO_OP), L("*cpuid", NO_OP), L("rd[tpmfgs]*",
    NO_OP),
    L("rdrand", NO_OP), L("rdseed", NO_OP), L("rdssp*", NO_OP), L("incssp*", NO_OP), L("wr[mfgpsu]*", NO_OP),
    L("sys*", NO_OP), L("int", NO_OP), L("int[13o]*", NO_OP), L("ud[012]", NO_OP), L("hlt", NO_OP), L("iret*", NO_OP),
    L("x[sgr]*", NO_OP), L("xend", NO_OP), L("xabort", NO_OP), L("fx*", NO_OP), L("ldmxcsr", NO_OP), L("stmxcsr",
    NO_OP),
    L("vldmxcsr", NO_OP), L("vstmxcsr", NO_OP), L("serialize", NO_OP), L("*monitor*", NO_OP), L("*mwait*", NO_OP),
    L("tpause", NO_OP), L("*bnd*", NO_OP), L("movdir*", NO_OP), L("enqcmd*", NO_OP), L("inv*", NO_OP), L("wbinvd",
    NO_OP),
    L("[sl][gilt]dt", NO_OP), L("str", NO_OP), L("ltr", NO_OP), L("lmsw", NO_OP), L("smsw", NO_OP), L("swapgs", NO_OP),
    L("ptwrite", NO_OP), L("vzero*", SIMD_MISC), L("*key*", SIMD_AES),
    L("*", INT_ALU),
};

static const struct line x87[] = {
    L("f[n]*", NO_OP), L("fwait", NO_OP), L("emms", NO_OP), L("femms", NO_OP), L("fldcw", NO_OP), L("fldenv", NO_OP),
    L("frstor", NO_OP), L("fx[sr][as]*", NO_OP), L("ffree*", NO_OP), L("fincstp", NO_OP), L("fdecstp", NO_OP),
    L("fadd*", FLOAT_ADD), L("fiadd", FLOAT_ADD), L("fsub*", FLOAT_ADD), L("fisub*", FLOAT_ADD),
    L("fmul*", FLOAT_MULT), L("fimul", FLOAT_MULT), L("fdiv*", FLOAT_DIV), L("fidiv*", FLOAT_DIV), L("fsqrt",
    FLOAT_SQRT),
    L("fcom*", FLOAT_CMP), L("fucom*", FLOAT_CMP), L("ficom*", FLOAT_CMP), L("ftst", FLOAT_CMP),
    L("fild", FLOAT_CVT), L("fist*", FLOAT_CVT), L("fbld", FLOAT_CVT), L("fbstp", FLOAT_CVT), L("frndint", FLOAT_CVT),
    L("*", FLOAT_MISC),
};

static const struct line vector[] = {
    L("*aes*", SIMD_AES), L("sha[12]*", SIMD_AES), L("*pclmul*", SIMD_AES), L("*gf2p8*", SIMD_AES), L("*key*",
    SIMD_AES),
    /* Moves under masks, to many places. */
    L("*maskmov*", NO_OP), L("*gather*", NO_OP), L("*scatter*", NO_OP), L("tile[ls]*", NO_OP),
    /* Shuffles and moves. */
    L("*shuf*", SIMD_MISC), L("*unpck*", SIMD_MISC), L("*unpckl*", SIMD_MISC), L("*pack*", SIMD_MISC), L("*blend*",
    SIMD_MISC),
    L("*broadcast*", SIMD_MISC), L("*insert*", SIMD_MISC), L("*extract*", SIMD_MISC), L("*perm*", SIMD_MISC),
    L("*compress*", SIMD_MISC), L("*expand*", SIMD_MISC), L("*align*", SIMD_MISC), L("*pinsr*", SIMD_MISC),
    L("*pextr*", SIMD_MISC), L("*mov*", SIMD_MISC), L("*ps[lr]ldq", SIMD_MISC), L("*lddqu", SIMD_MISC),
    L("insertq", SIMD_MISC), L("extrq", SIMD_MISC), L("tile*", SIMD_MISC), L("pswapd", SIMD_MISC),
    /* Floating point. */
    L("*rsqrt*s[sh]", FLOAT_MULT), L("*rsqrt*sd", FLOAT_MULT), L("*rsqrt*", SIMD_FLOAT_MULT),
    L("*rcp*s[sdh]", FLOAT_MULT), L("*rcp*", SIMD_FLOAT_MULT),
    L("*sqrts[sdh]", FLOAT_SQRT), L("*sqrt*", SIMD_FLOAT_SQRT), L("*divs[sdh]", FLOAT_DIV), L("*divp[sdh]",
    SIMD_FLOAT_DIV),
    L("v*f*madd*s[sdh]", FLOAT_MULT_ACC), L("v*f*msub*s[sdh]", FLOAT_MULT_ACC), L("v*f*madd*", SIMD_FLOAT_MULT_ACC),
    L("v*f*msub*", SIMD_FLOAT_MULT_ACC), L("vf*mul*s[sdh]", FLOAT_MULT_ACC), L("vf*mul*", SIMD_FLOAT_MULT_ACC),
    L("*dpp[sd]", SIMD_FLOAT_MULT_ACC), L("*dpbf16*", SIMD_FLOAT_MULT_ACC), L("tdp*", SIMD_MULT),
    L("*muls[sdh]", FLOAT_MULT), L("*mulp[sdh]", SIMD_FLOAT_MULT), L("pfmul", SIMD_FLOAT_MULT),
    L("*cvt*s[sdih]2*", FLOAT_CVT), L("*cvt*2s[sdh]", FLOAT_CVT), L("*cvtu*2s*", FLOAT_CVT), L("*cvt*", SIMD_FLOAT_ADD),
    L("*rounds[sd]", FLOAT_CVT), L("*rndscales[sdh]", FLOAT_CVT), L("*round*", SIMD_FLOAT_ADD), L("*rnd*",
    SIMD_FLOAT_ADD),
    L("*comis[sdh]", FLOAT_CMP), L("*cmps[sdh]", FLOAT_CMP), L("maxs[sd]", FLOAT_CMP), L("vmaxs[sdh]", FLOAT_CMP),
    L("mins[sd]", FLOAT_CMP), L("vmins[sdh]", FLOAT_CMP),
    L("cmpp[sdh]", SIMD_FLOAT_ADD), L("vcmpp[sdh]", SIMD_FLOAT_ADD), L("*maxp[sdh]", SIMD_FLOAT_ADD),
    L("*minp[sdh]", SIMD_FLOAT_ADD),
    L("adds[sd]", FLOAT_ADD), L("vadds[sdh]", FLOAT_ADD), L("subs[sd]", FLOAT_ADD), L("vsubs[sdh]", FLOAT_ADD),
    L("*add*p[sdh]", SIMD_FLOAT_ADD), L("*sub*p[sdh]", SIMD_FLOAT_ADD),
    L("vget*s[sdh]", FLOAT_MISC), L("vscalefs[sdh]", FLOAT_MISC), L("vreduces[sdh]", FLOAT_MISC),
    L("vranges[sdh]", FLOAT_MISC), L("vfixup*s[sdh]", FLOAT_MISC), L("vfpclasss[sdh]", FLOAT_MISC),
    L("vget*", SIMD_FLOAT_ADD), L("vscale*", SIMD_FLOAT_ADD), L("vreduce*", SIMD_FLOAT_ADD), L("vrange*",
    SIMD_FLOAT_ADD),
    L("vfixup*", SIMD_FLOAT_ADD), L("vfpclass*", SIMD_FLOAT_ADD), L("vfrcz*", SIMD_FLOAT_ADD), L("vexp2*",
    SIMD_FLOAT_MULT),
    L("pf*", SIMD_FLOAT_ADD), L("pi2f*", SIMD_FLOAT_ADD),
    /* Integers. */
    L("*pmul*", SIMD_MULT), L("*pmadd*", SIMD_MULT), L("vpmac*", SIMD_MULT), L("vpmadc*", SIMD_MULT), L("vpdp*",
    SIMD_MULT),
    L("vp4dp*", SIMD_MULT), L("kunpck*", SIMD_MISC),
    L("*", SIMD_ALU),
};

static const struct line moves[] = {
    L("mov", NO_OP), L("movs[xs]", NO_OP), L("movs[bdqw]", NO_OP), L("movsxd", NO_OP), L("movzx", NO_OP), L("movnt*",
    NO_OP),
    L("xchg", NO_OP), L("mov[dq]", NO_OP), L("mov[aulh]p[sd]", NO_OP), L("movdq[au]", NO_OP), L("lddqu", NO_OP),
    L("movddup", NO_OP),
    L("vmovnt*", NO_OP), L("vmovs[sdh]", NO_OP), L("vmov[dqw]", NO_OP), L("vmov[aulh]p[sd]", NO_OP), L("vmovdq*",
    NO_OP),
    L("vlddqu", NO_OP), L("vmovddup", NO_OP), L("v*broadcast*", NO_OP), L("kmov[bwdq]", NO_OP),
    L("fld", NO_OP), L("fst", NO_OP), L("fstp", NO_OP),
};

static const struct line idioms[] = {
    L("xor", INT_ALU), L("sub", INT_ALU), L("pxor", SIMD_ALU), L("xorp[sd]", SIMD_ALU), L("psub[bwdq]", SIMD_ALU),
    L("pcmpgt[bwdq]", SIMD_ALU), L("pcmpeq[bwdq]", SIMD_ALU), L("vpxor", SIMD_ALU), L("vpxor[dq]", SIMD_ALU),
    L("vxorp[sd]", SIMD_ALU), L("vpsub[bwdq]", SIMD_ALU), L("vpcmpgt[bwdq]", SIMD_ALU), L("vpcmpeq[bwdq]", SIMD_ALU),
};

static bool fits(const char *pattern, const char *name)
{
    if (*pattern == '\0')
        return *name == '\0';
    if (*pattern == '*')
        return fits(pattern + 1, name) || (*name != '\0' && fits(pattern, name + 1));
    if (*name == '\0')
        return false;
    if (*pattern == '[') {
        bool is_one = false;

        for (pattern++; *pattern != ']'; pattern++)
            is_one = is_one || *pattern == *name;
        return is_one && fits(pattern + 1, name + 1);
    }
    return *pattern == *name && fits(pattern + 1, name + 1);
}

static const struct line *find(const struct line *lines, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (fits(lines[i].names, name))
            return &lines[i];
    return NULL;
}

#define FIND(lines, name) find(lines, sizeof lines / sizeof lines[0], name)

enum isa_class x86_class(const char *mnemonic, enum x86_unit unit)
{
    switch (unit) {
    case X86_X87:
        return (enum isa_class)FIND(x87, mnemonic)->class;
    case X86_VECTOR:
        return (enum isa_class)FIND(vector, mnemonic)->class;
    default:
        return (enum isa_class)FIND(integer, mnemonic)->class;
    }
}

bool x86_class_moves(const char *mnemonic)
{
    return FIND(moves, mnemonic) != NULL;
}

bool x86_class_is_idiom(const char *mnemonic)
{
    return FIND(idioms, mnemonic) != NULL;
}
