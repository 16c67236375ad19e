/* One line for each group of names, with blanks between them; the first match decides. "*" matches any letters, "[...]"
 * one of these. Names are those of the Intel SDM, volume 2. Scalar floating point (ss, sd, sh) is Float..., packed (ps,
 * pd, ph) SimdFloat.... */
#include "proto/isa/isa_build.h"

#include <string.h>

struct line {
    const char *names;
    uint8_t class;
};

#define L(names, class) {names, ISA_CLASS_##class}

static const struct line integer[] = {
    L("imul mul mulx", INT_MULT),
    L("div idiv aam", INT_DIV),
    L("aad", INT_MULT),
    L("nop endbr* pause *fence prefetch* clflush* clwb cldemote clzero push* pop pop[afd]* enter leave xlat "
      "lods[bwdq] stos[bwdq] ins[bwd] outs[bwd] in out *cpuid rd[tpmfgs]* rdrand rdseed rdssp* incssp* "
      "wr[mfgpsu]* sys* int int[13o]* ud[012] hlt iret* x[sgr]* xend xabort fx* ldmxcsr stmxcsr vldmxcsr "
      "vstmxcsr serialize *monitor* *mwait* tpause *bnd* movdir* enqcmd* inv* wbinvd [sl][gilt]dt str ltr "
      "lmsw smsw swapgs ptwrite", NO_OP),
    L("vzero*", SIMD_MISC),
    L("*key*", SIMD_AES),
    L("*", INT_ALU),
};

static const struct line x87[] = {
    L("f[n]* fwait emms femms fldcw fldenv frstor fx[sr][as]* ffree* fincstp fdecstp", NO_OP),
    L("fadd* fiadd fsub* fisub*", FLOAT_ADD),
    L("fmul* fimul", FLOAT_MULT),
    L("fdiv* fidiv*", FLOAT_DIV),
    L("fsqrt", FLOAT_SQRT),
    L("fcom* fucom* ficom* ftst", FLOAT_CMP),
    L("fild fist* fbld fbstp frndint", FLOAT_CVT),
    L("*", FLOAT_MISC),
};

static const struct line vector[] = {
    L("*aes* sha[12]* *pclmul* *gf2p8* *key*", SIMD_AES),
    /* Moves under masks, to many places. */
    L("*maskmov* *gather* *scatter* tile[ls]*", NO_OP),
    /* Shuffles and moves. */
    L("*shuf* *unpck* *unpckl* *pack* *blend* *broadcast* *insert* *extract* *perm* *compress* *expand* "
      "*align* *pinsr* *pextr* *mov* *ps[lr]ldq *lddqu insertq extrq tile* pswapd", SIMD_MISC),
    /* Floating point. */
    L("*rsqrt*s[sh] *rsqrt*sd", FLOAT_MULT),
    L("*rsqrt*", SIMD_FLOAT_MULT),
    L("*rcp*s[sdh]", FLOAT_MULT),
    L("*rcp*", SIMD_FLOAT_MULT),
    L("*sqrts[sdh]", FLOAT_SQRT),
    L("*sqrt*", SIMD_FLOAT_SQRT),
    L("*divs[sdh]", FLOAT_DIV),
    L("*divp[sdh]", SIMD_FLOAT_DIV),
    L("v*f*madd*s[sdh] v*f*msub*s[sdh]", FLOAT_MULT_ACC),
    L("v*f*madd* v*f*msub*", SIMD_FLOAT_MULT_ACC),
    L("vf*mul*s[sdh]", FLOAT_MULT_ACC),
    L("vf*mul* *dpp[sd] *dpbf16*", SIMD_FLOAT_MULT_ACC),
    L("tdp*", SIMD_MULT),
    L("*muls[sdh]", FLOAT_MULT),
    L("*mulp[sdh] pfmul", SIMD_FLOAT_MULT),
    L("*cvt*s[sdih]2* *cvt*2s[sdh] *cvtu*2s*", FLOAT_CVT),
    L("*cvt*", SIMD_FLOAT_ADD),
    L("*rounds[sd] *rndscales[sdh]", FLOAT_CVT),
    L("*round* *rnd*", SIMD_FLOAT_ADD),
    L("*comis[sdh] *cmps[sdh] maxs[sd] vmaxs[sdh] mins[sd] vmins[sdh]", FLOAT_CMP),
    L("cmpp[sdh] vcmpp[sdh] *maxp[sdh] *minp[sdh]", SIMD_FLOAT_ADD),
    L("adds[sd] vadds[sdh] subs[sd] vsubs[sdh]", FLOAT_ADD),
    L("*add*p[sdh] *sub*p[sdh]", SIMD_FLOAT_ADD),
    L("vget*s[sdh] vscalefs[sdh] vreduces[sdh] vranges[sdh] vfixup*s[sdh] vfpclasss[sdh]", FLOAT_MISC),
    L("vget* vscale* vreduce* vrange* vfixup* vfpclass* vfrcz*", SIMD_FLOAT_ADD),
    L("vexp2*", SIMD_FLOAT_MULT),
    L("pf* pi2f*", SIMD_FLOAT_ADD),
    /* Integers. */
    L("*pmul* *pmadd* vpmac* vpmadc* vpdp* vp4dp*", SIMD_MULT),
    L("kunpck*", SIMD_MISC),
    L("*", SIMD_ALU),
};

static const struct line moves[] = {
    L("mov movs[xs] movs[bdqw] movsxd movzx movnt* xchg mov[dq] mov[aulh]p[sd] movdq[au] lddqu movddup "
      "vmovnt* vmovs[sdh] vmov[dqw] vmov[aulh]p[sd] vmovdq* vlddqu vmovddup v*broadcast* kmov[bwdq] fld fst "
      "fstp", NO_OP),
};

static const struct line idioms[] = {
    L("xor sub", INT_ALU),
    L("pxor xorp[sd] psub[bwdq] pcmpgt[bwdq] pcmpeq[bwdq] vpxor vpxor[dq] vxorp[sd] vpsub[bwdq] "
      "vpcmpgt[bwdq] vpcmpeq[bwdq]", SIMD_ALU),
};

static bool x86_class_fits(const char *pattern, const char *name)
{
    if (*pattern == '\0' || *pattern == ' ')
        return *name == '\0';
    if (*pattern == '*')
        return x86_class_fits(pattern + 1, name) || (*name != '\0' && x86_class_fits(pattern, name + 1));
    if (*name == '\0')
        return false;
    if (*pattern == '[') {
        bool is_one = false;

        for (pattern++; *pattern != ']'; pattern++)
            is_one = is_one || *pattern == *name;
        return is_one && x86_class_fits(pattern + 1, name + 1);
    }
    return *pattern == *name && x86_class_fits(pattern + 1, name + 1);
}

static const struct line *x86_class_find(const struct line *lines, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        for (const char *at = lines[i].names; at; at = strchr(at, ' '), at = at ? at + 1 : NULL)
            if (x86_class_fits(at, name))
                return &lines[i];
    return NULL;
}

#define FIND(lines, name) x86_class_find(lines, sizeof lines / sizeof lines[0], name)

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
