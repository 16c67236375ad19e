/* Three tables of rules, searched from the top; the first that matches the opcode decides (gpu-traces 7).
 *
 * A rule's names are one string, separated by blanks; a '*' at a name's end matches any rest. SASS and PTX compare an
 * opcode's first token, which ends at the first dot; GCN3 the whole opcode in capitals. After the rules of names follow
 * those that depend on further tokens (SASS, PTX), or on the types in the name (GCN3's V_). */
#include "proto/gpu/opcode.h"

#include <stddef.h>
#include <string.h>

#define MAXWELL 50                   /* binary versions; Kepler lies below */
#define VOLTA 70
#define TURING 75
#define ALL_FROM 0
#define ALL_TO UINT32_MAX

enum {
    RETURNS = 1, PAST_L1 = 2, HALF = 4, COPY = 8, COMMITS = 16, WAITS = 32, IF_ACCESS = 64  /* only with addresses */
};

struct rule {
    uint32_t from, to;               /* binary versions [from, to) */
    uint8_t cls, space, flags;
    const char *names;
};

#define RULE(from, to, cls, space, flags, names) {from, to, GPU_CLASS_##cls, GPU_SPACE_##space, flags, names},

/* binary versions, class, space, flags, first tokens (7.1); the last rows are its fall-backs by prefix */
#define SASS_RULES(R)                                                                                                 \
    R(ALL_FROM, ALL_TO, EXIT,    NONE,    0, "EXIT")                                                                  \
    R(ALL_FROM, ALL_TO, BARRIER, NONE,    0, "BAR")                                                                   \
    R(ALL_FROM, ALL_TO, MEMBAR,  NONE,    0, "MEMBAR FENCE")                                                          \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  COPY, "LDGSTS")                                                             \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  0, "LDG SULDGA")                                                            \
    R(ALL_FROM, MAXWELL, LOAD,   GLOBAL,  0, "LD")                                                                    \
    R(MAXWELL, ALL_TO,  LOAD,    GENERIC, 0, "LD")                                                                    \
    R(ALL_FROM, MAXWELL, STORE,  GLOBAL,  0, "ST")                                                                    \
    R(MAXWELL, ALL_TO,  STORE,   GENERIC, 0, "ST")                                                                    \
    R(ALL_FROM, ALL_TO, LOAD,    LOCAL,   0, "LDL")                                                                   \
    R(ALL_FROM, ALL_TO, STORE,   LOCAL,   0, "STL")                                                                   \
    R(ALL_FROM, ALL_TO, LOAD,    SHARED,  0, "LDS LDSM LDSLK")                                                        \
    R(ALL_FROM, ALL_TO, STORE,   SHARED,  0, "STS STSCUL STAS")                                                       \
    R(ALL_FROM, ALL_TO, STORE,   GLOBAL,  0, "STG SUSTGA")                                                            \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  RETURNS | PAST_L1, "ATOM ATOMG")                                            \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  PAST_L1, "RED")                                                             \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  RETURNS, "ATOMS")                                                           \
    R(ALL_FROM, ALL_TO, CONSTANT, CONSTANT, 0, "LDC")                                                                 \
    R(VOLTA, ALL_TO,    TEXTURE, TEXTURE, 0, "TEX TLD TLD4 TMML TXD TXQ")                                             \
    R(ALL_FROM, ALL_TO, ALU,     TEXTURE, 0, "TEX TLD TLD4 TMML TXD TXQ TEXS TLDS TLD4S")                             \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "SULD SUST SURED SUATOM SUQUERY")                                        \
    R(ALL_FROM, MAXWELL, LOAD,   NONE,    0, "SUBFM SUCLAMP SUEAU")                                                   \
    R(ALL_FROM, ALL_TO, TENSOR,  NONE,    0, "HMMA BMMA DMMA HGMMA QGMMA IGMMA")                                      \
    R(TURING, ALL_TO,   TENSOR,  NONE,    0, "IMMA")                                                                  \
    R(ALL_FROM, ALL_TO, INT,     NONE,    0, "IMMA")                                                                  \
    R(ALL_FROM, ALL_TO, SFU,     NONE,    0, "MUFU")                                                                  \
    R(ALL_FROM, ALL_TO, DP,      NONE,    0, "DADD DFMA DMUL DSETP DMNMX DSET")                                       \
    R(ALL_FROM, ALL_TO, BRANCH,  NONE,    0, "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL JMP JMX JMXU KILL "         \
                                             "NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD SSY SYNC ELECT")                \
    R(ALL_FROM, VOLTA,  BRANCH,  NONE,    0, "CAL JCAL PEXIT BRK CONT PBK PCNT PRET")                                 \
    R(TURING, ALL_TO,   UNIFORM, CONSTANT, 0, "ULDC")                                                                 \
    R(TURING, ALL_TO,   UNIFORM, NONE,    0, "R2UR REDUX S2UR VOTEU UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UISETP "\
                                             "ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP "    \
                                             "USEL USGXT USHF USHL USHR")                                             \
    R(ALL_FROM, ALL_TO, INT,     NONE,    0, "BFE BFI BMSK BREV FLO IABS IADD IADD3 IADD32I ICMP IDP IDP4A IMAD "     \
                                             "IMADSP IMNMX IMUL IMUL32I ISAD ISCADD ISCADD32I ISET ISETP ISUB LEA "   \
                                             "LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VADD VMNMX XMAD "   \
                                             "VIADD VIADDMNMX")                                                       \
    R(ALL_FROM, ALL_TO, SP,      NONE,    0, "FADD FADD32I FCHK FCMP FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP "\
                                             "FSWZ FSWZADD RRO VIMNMX")                                               \
    R(ALL_FROM, ALL_TO, SP,      NONE,    HALF, "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2 HMNMX2")\
    R(VOLTA, ALL_TO,    ALU,     NONE,    WAITS, "DEPBAR")                                                            \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    COMMITS, "LDGDEPBAR")                                                       \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "MOV MOV32I MOVM PRMT SEL SGXT SHFL VOTE VOTE_VTG MATCH S2R CS2R P2R "   \
                                             "R2P B2R R2B CSET CSETP PSET PSETP PLOP3 PMTRIG QSPC LEPC NOP DEPBAR "   \
                                             "CCTL CCTLL CCTLT ERRBAR F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP "      \
                                             "GETLMEMBASE SETLMEMBASE SETCTAID CSMTEST ARRIVES USETMAXREG UCGABAR_* " \
                                             "WARPGROUP CGAERRBAR SYNCS")                                             \
    R(ALL_FROM, ALL_TO, TENSOR,  NONE,    0, "*MMA")                                                                  \
    R(ALL_FROM, ALL_TO, UNIFORM, NONE,    0, "U*")                                                                    \
    R(ALL_FROM, ALL_TO, DP,      NONE,    0, "DADD* DFMA* DMUL* DSET* DMNMX*")                                        \
    R(ALL_FROM, ALL_TO, SP,      NONE,    HALF, "H*")                                                                 \
    R(ALL_FROM, ALL_TO, SP,      NONE,    0, "F*")                                                                    \
    R(ALL_FROM, ALL_TO, INT,     NONE,    0, "I* V* LOP* LEA*")                                                       \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "B*")                                                                    \
    R(ALL_FROM, ALL_TO, LOAD,    SHARED,  IF_ACCESS, "LDS*")                                                          \
    R(ALL_FROM, ALL_TO, LOAD,    LOCAL,   IF_ACCESS, "LDL*")                                                          \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  IF_ACCESS, "LD*")                                                           \
    R(ALL_FROM, ALL_TO, STORE,   SHARED,  IF_ACCESS, "STS*")                                                          \
    R(ALL_FROM, ALL_TO, STORE,   LOCAL,   IF_ACCESS, "STL*")                                                          \
    R(ALL_FROM, ALL_TO, STORE,   GLOBAL,  IF_ACCESS, "ST*")                                                           \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  IF_ACCESS | RETURNS, "ATOMS*")                                              \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  IF_ACCESS | RETURNS | PAST_L1, "ATOM*")                                     \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  IF_ACCESS | PAST_L1, "RED*")

/* the same with whole names (7.3); V_ with its types is decided by vector_class */
#define GCN3_RULES(R)                                                                                                 \
    R(ALL_FROM, ALL_TO, EXIT,    NONE,    0, "S_ENDPGM*")                                                             \
    R(ALL_FROM, ALL_TO, BARRIER, NONE,    0, "S_BARRIER*")                                                            \
    R(ALL_FROM, ALL_TO, WAIT,    NONE,    0, "S_WAITCNT*")                                                            \
    R(ALL_FROM, ALL_TO, BRANCH,  NONE,    0, "S_BRANCH* S_CBRANCH_* S_SETPC* S_SWAPPC* S_CALL* S_RFE* S_TRAP* "       \
                                             "S_SLEEP* S_CMOV* S_GETPC*")                                             \
    R(ALL_FROM, ALL_TO, LOAD,    SCALAR,  0, "S_LOAD_* S_BUFFER_LOAD_* S_SCRATCH_LOAD_*")                             \
    R(ALL_FROM, ALL_TO, STORE,   SCALAR,  0, "S_STORE_* S_BUFFER_STORE_* S_SCRATCH_STORE_*")                          \
    R(ALL_FROM, ALL_TO, ATOMIC,  SCALAR,  0, "S_ATOMIC_* S_BUFFER_ATOMIC_*")                                          \
    R(ALL_FROM, ALL_TO, MISC,    NONE,    0, "S_DCACHE_* S_ICACHE_* S_MEMTIME* S_MEMREALTIME* S_ATC_PROBE* "          \
                                             "S_SENDMSG* S_SETPRIO* S_NOP S_SETHALT* S_TTRACEDATA* S_INCPERFLEVEL* "  \
                                             "S_DECPERFLEVEL* S_SET_GPR_IDX_*")                                       \
    R(ALL_FROM, ALL_TO, SCALAR,  NONE,    0, "S_*")                                                                   \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "DS_SWIZZLE* DS_PERMUTE* DS_BPERMUTE* DS_NOP")                           \
    R(ALL_FROM, ALL_TO, MISC,    GLOBAL_SHARE, 0, "DS_GWS_*")                                                         \
    R(ALL_FROM, ALL_TO, LOAD,    SHARED,  0, "DS_READ*")                                                              \
    R(ALL_FROM, ALL_TO, STORE,   SHARED,  0, "DS_WRITE*")                                                             \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  RETURNS, "DS_APPEND* DS_CONSUME* DS_ORDERED_COUNT*")                        \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  0, "DS_*")                                                                  \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  0, "FLAT_LOAD* GLOBAL_LOAD* BUFFER_LOAD* TBUFFER_LOAD* IMAGE_LOAD* "        \
                                             "IMAGE_SAMPLE* IMAGE_GATHER*")                                           \
    R(ALL_FROM, ALL_TO, STORE,   GLOBAL,  0, "FLAT_STORE* GLOBAL_STORE* BUFFER_STORE* TBUFFER_STORE* IMAGE_STORE*")   \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  PAST_L1, "FLAT_ATOMIC* GLOBAL_ATOMIC* BUFFER_ATOMIC* IMAGE_ATOMIC*")        \
    R(ALL_FROM, ALL_TO, LOAD,    LOCAL,   0, "SCRATCH_LOAD*")                                                         \
    R(ALL_FROM, ALL_TO, STORE,   LOCAL,   0, "SCRATCH_STORE*")                                                        \
    R(ALL_FROM, ALL_TO, MISC,    NONE,    0, "BUFFER_WBINVL1* EXP EXP_* V_INTERP_*")                                  \
    R(ALL_FROM, ALL_TO, SFU,     NONE,    0, "V_RCP* V_RSQ* V_SQRT* V_EXP* V_LOG* V_SIN* V_COS*")

/* The moves, after the rules for types in the name. */
#define GCN3_LATE_RULES(R)                                                                                            \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "V_MOV* V_CNDMASK* V_READLANE* V_READFIRSTLANE* V_WRITELANE* V_NOP "     \
                                             "V_CLREXCP")                                                             \
    R(ALL_FROM, ALL_TO, INT,     NONE,    0, "V_*")

/* MacSim's names of PTX opcodes (macsim-traces 4.2, appendix C). Parameters lie in shared memory, as there. */
#define PTX_RULES(R)                                                                                                  \
    R(ALL_FROM, ALL_TO, EXIT,    NONE,    0, "EXIT")                                                                  \
    R(ALL_FROM, ALL_TO, BARRIER, NONE,    0, "BAR BAR_SYNC BAR_RED BAR_ARRIVE")                                       \
    R(ALL_FROM, ALL_TO, MEMBAR,  NONE,    0, "MEMBAR MEMBAR_CTA MEMBAR_GL MEMBAR_SYS")                                \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  0, "MEM_LD_GM MEM_LDU_GM")                                                  \
    R(ALL_FROM, ALL_TO, LOAD,    LOCAL,   0, "MEM_LD_LM")                                                             \
    R(ALL_FROM, ALL_TO, LOAD,    SHARED,  0, "MEM_LD_SM MEM_LD_PM")                                                   \
    R(ALL_FROM, ALL_TO, CONSTANT, CONSTANT, 0, "MEM_LD_CM")                                                           \
    R(ALL_FROM, ALL_TO, LOAD,    TEXTURE, 0, "MEM_LD_TM")                                                             \
    R(ALL_FROM, ALL_TO, STORE,   GLOBAL,  0, "MEM_ST_GM")                                                             \
    R(ALL_FROM, ALL_TO, STORE,   LOCAL,   0, "MEM_ST_LM")                                                             \
    R(ALL_FROM, ALL_TO, STORE,   SHARED,  0, "MEM_ST_SM")                                                             \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  RETURNS | PAST_L1, "ATOM ATOM64 ATOM_GM ATOM64_GM")                         \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  RETURNS, "ATOM_SM ATOM64_SM")                                               \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  PAST_L1, "RED RED64 RED_GM RED64_GM")                                       \
    R(ALL_FROM, ALL_TO, ATOMIC,  SHARED,  0, "RED_SM RED64_SM")                                                       \
    R(ALL_FROM, ALL_TO, LOAD,    GLOBAL,  IF_ACCESS, "LD LD64 LDU LDU64 SULD SULD64 DATA_XFER_GM")                    \
    R(ALL_FROM, ALL_TO, LOAD,    LOCAL,   IF_ACCESS, "DATA_XFER_LM")                                                  \
    R(ALL_FROM, ALL_TO, LOAD,    SHARED,  IF_ACCESS, "DATA_XFER_SM")                                                  \
    R(ALL_FROM, ALL_TO, STORE,   GLOBAL,  IF_ACCESS, "ST ST64 SUST SUST64")                                           \
    R(ALL_FROM, ALL_TO, ATOMIC,  GLOBAL,  IF_ACCESS | PAST_L1, "SURED SURED64")                                       \
    R(ALL_FROM, ALL_TO, LOAD,    TEXTURE, IF_ACCESS, "TEX TLD4")                                                      \
    R(ALL_FROM, ALL_TO, TEXTURE, TEXTURE, 0, "TEX TLD4 TXQ")                                                          \
    R(ALL_FROM, ALL_TO, BRANCH,  NONE,    0, "BRA CALL RET BRKPT TRAP")                                               \
    R(ALL_FROM, ALL_TO, SFU,     NONE,    0, "COS EX2 LG2 RCP RSQRT SIN SQRT")                                        \
    R(ALL_FROM, ALL_TO, DP,      NONE,    0, "RCP64 RSQRT64 SQRT64")                                                  \
    R(ALL_FROM, ALL_TO, ALU,     NONE,    0, "INVALID MOV MOV64 CVTA CVTA64 PRMT SELP SELP64 SLCT SLCT64 SHFL SHFL64 "\
                                             "VOTE PHI RECONVERGE PMEVENT ISSPACEP PREFETCH PREFETCHU LD LD64 LDU "   \
                                             "LDU64 ST ST64 SULD SULD64 SUST SUST64 SURED SURED64 SUQ DATA_XFER_GM "  \
                                             "DATA_XFER_LM DATA_XFER_SM")                                             \
    R(ALL_FROM, ALL_TO, INT,     NONE,    0, "ABS ABS64 ADD ADD64 ADDC AND AND64 BFE BFE64 BFI BFI64 BFIND BFIND64 "  \
                                             "BREV BREV64 CLZ CLZ64 CNOT CNOT64 COPYSIGN COPYSIGN64 CVT CVT64 DIV "   \
                                             "DIV64 FMA FMA64 MAD24 MAD MAD64 MADC MADC64 MAX MAX64 MIN MIN64 MUL24 " \
                                             "MUL MUL64 NEG NEG64 NOT NOT64 OR OR64 POPC POPC64 REM REM64 SAD SAD64 " \
                                             "SET SET64 SETP SETP64 SHL SHL64 SHR SHR64 SUB SUB64 SUBC TESTP "        \
                                             "TESTP64 VABSDIFF VADD VMAD VMAX VMIN VSET VSHL VSHR VSUB XOR XOR64")

static const struct rule ptx_rules[] = { PTX_RULES(RULE) };
static const struct rule sass_rules[] = { SASS_RULES(RULE) };
static const struct rule gcn3_rules[] = { GCN3_RULES(RULE) };
static const struct rule gcn3_late_rules[] = { GCN3_LATE_RULES(RULE) };

struct word {
    const char *at;
    size_t length;
};

/* A pattern is a name, a front with '*' behind it, or '*' with an end behind it. */
static bool matches(const struct word *pattern, const struct word *name)
{
    size_t const rest = pattern->length - 1;

    if (pattern->at[rest] == '*')
        return name->length >= rest && memcmp(name->at, pattern->at, rest) == 0;
    if (pattern->at[0] == '*')
        return name->length >= rest && memcmp(name->at + name->length - rest, pattern->at + 1, rest) == 0;
    return name->length == pattern->length && memcmp(name->at, pattern->at, name->length) == 0;
}

/* The words of a text one by one. */
static bool next_word(const char **text, char divider, struct word *word)
{
    const char *at = *text;

    if (at == NULL)
        return false;
    *text = strchr(at, divider);
    word->at = at;
    word->length = *text != NULL ? (size_t)(*text - at) : strlen(at);
    *text = *text != NULL ? *text + 1 : NULL;
    return true;
}

static bool names(const char *list, const struct word *name)
{
    for (struct word pattern; next_word(&list, ' ', &pattern);)
        if (matches(&pattern, name))
            return true;
    return false;
}

static bool has_word(const char *text, char divider, const char *wanted)
{
    for (struct word word; next_word(&text, divider, &word);)
        if (word.length == strlen(wanted) && memcmp(word.at, wanted, word.length) == 0)
            return true;
    return false;
}

static bool apply_rules(struct gpu_opcode *opcode, const struct rule *rules, size_t count, const struct word *name,
                        uint32_t version, bool has_addresses)
{
    for (const struct rule *rule = rules; rule < rules + count; rule++) {
        if (version < rule->from || (rule->to != ALL_TO && version >= rule->to)
            || ((rule->flags & IF_ACCESS) != 0 && !has_addresses) || !names(rule->names, name))
            continue;
        opcode->cls = rule->cls;
        opcode->space = rule->space;
        opcode->is_known = true;
        opcode->returns = (rule->flags & RETURNS) != 0;
        opcode->past_l1 = (rule->flags & PAST_L1) != 0;
        opcode->is_half = (rule->flags & HALF) != 0;
        opcode->is_copy_to_shared = (rule->flags & COPY) != 0;
        opcode->is_commit_group = (rule->flags & COMMITS) != 0;
        opcode->is_wait_group = (rule->flags & WAITS) != 0;
        return true;
    }
    return false;
}

/* Digits to the word's end -> bits / 8, if that is a width there is; else 0. */
static unsigned width_of_bits(const char *at, const char *end)
{
    unsigned bits = 0;

    if (at == end)
        return 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || bits > 1000)
            return 0;
        bits = 10 * bits + (unsigned)(*at - '0');
    }
    switch (bits) {
    case 8: case 16: case 32: case 64: case 96: case 128: case 256: return bits / 8;
    default: return 0;
    }
}

/* --- SASS --------------------------------------------------------------------------------------------------------- */

/* 3.3: the first token that is a number, or U, S, F or B and a number. A row of LDSM always has 16 bytes (7.2). */
static unsigned sass_width(const char *text)
{
    struct word token;

    next_word(&text, '.', &token);
    if (token.length == 4 && memcmp(token.at, "LDSM", 4) == 0)
        return 16;
    while (next_word(&text, '.', &token)) {
        const char *const end = token.at + token.length;
        bool const has_letter = token.length > 0 && strchr("USFB", token.at[0]) != NULL;
        unsigned const width = width_of_bits(token.at + has_letter, end);

        if (width != 0)
            return width;
    }
    return 4;
}

static void classify_sass(struct gpu_opcode *opcode, const char *text, uint32_t version, bool has_addresses)
{
    const char *rest = text;
    struct word first;

    next_word(&rest, '.', &first);
    apply_rules(opcode, sass_rules, sizeof sass_rules / sizeof sass_rules[0], &first, version, has_addresses);
    opcode->width_bytes = (uint8_t)sass_width(text);
    if (opcode->space == GPU_SPACE_GLOBAL && rest != NULL
        && ((has_word(rest, '.', "STRONG") && has_word(rest, '.', "GPU")) || has_word(rest, '.', "BYPASS")))
        opcode->past_l1 = true;
    opcode->does_not_wait = opcode->cls == GPU_CLASS_BARRIER && rest != NULL && has_word(rest, '.', "ARV");
}

/* --- GCN3 --------------------------------------------------------------------------------------------------------- */

enum gcn3_type { NO_TYPE, F16_F32, F64 };

static enum gcn3_type opcode_type_of(const struct word *word)
{
    if (word->length != 3 || word->at[0] != 'F')
        return NO_TYPE;
    return memcmp(word->at, "F64", 3) == 0 ? F64
        : memcmp(word->at, "F32", 3) == 0 || memcmp(word->at, "F16", 3) == 0 ? F16_F32 : NO_TYPE;
}

/* Class of a V_ opcode by the types in its name; false if they do not decide. A conversion is classified by its
 * result. */
static bool vector_class(const char *text, uint8_t *cls)
{
    bool const is_comparison = strncmp(text, "V_CMP", 5) == 0, is_conversion = strncmp(text, "V_CVT_", 6) == 0;
    enum gcn3_type type = NO_TYPE;
    struct word word;

    for (unsigned at = 0; next_word(&text, '_', &word); at++) {
        enum gcn3_type const here = opcode_type_of(&word);

        if (is_conversion && at == 2 && here == NO_TYPE && !(word.length == 3 && memcmp(word.at, "OFF", 3) == 0)) {
            *cls = GPU_CLASS_INT;
            return true;
        }
        if (!is_conversion || type == NO_TYPE)
            type = here > type ? here : type;
    }
    *cls = type == F64 ? GPU_CLASS_DP : is_comparison ? GPU_CLASS_INT : GPU_CLASS_SP;
    return type != NO_TYPE;
}

/* Bytes per lane, as a substitute where mem_width is missing (3.3 takes mem_width for GCN3). */
static unsigned gcn3_width(const char *text)
{
    unsigned width = 4, values = 1;
    struct word word;

    while (next_word(&text, '_', &word)) {
        const char *const end = word.at + word.length;
        unsigned const bits = word.length > 1 && strchr("BUIF", word.at[0]) != NULL ? width_of_bits(word.at + 1, end)
                                                                                   : 0;

        if (bits != 0)
            width = bits;
        else if (word.length >= 4 && memcmp(end - 4, "BYTE", 4) == 0)
            width = 1;
        else if (word.length >= 5 && memcmp(end - 5, "SHORT", 5) == 0)
            width = 2;
        else if (word.length > 6 && memcmp(word.at, "DWORDX", 6) == 0)
            width = word.at[6] == '1' ? 64 : 4 * (unsigned)(word.at[6] - '0');
        else if (word.length == 2 && memcmp(word.at, "X2", 2) == 0)
            width = 8;
        else if (names("READ2* WRITE2*", &word))
            values = 2;
    }
    return width * values;
}

static void classify_gcn3(struct gpu_opcode *opcode, const char *text)
{
    char capitals[96];
    struct word whole = {capitals, 0};

    for (; text[whole.length] != '\0' && whole.length + 1 < sizeof capitals; whole.length++) {
        char const c = text[whole.length];

        capitals[whole.length] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    capitals[whole.length] = '\0';
    opcode->width_bytes = (uint8_t)gcn3_width(capitals);
    if (apply_rules(opcode, gcn3_rules, sizeof gcn3_rules / sizeof gcn3_rules[0], &whole, 0, false)) {
        if (opcode->space == GPU_SPACE_SHARED && has_word(capitals, '_', "GDS"))
            opcode->space = GPU_SPACE_GLOBAL_SHARE;
        opcode->returns |= opcode->cls == GPU_CLASS_ATOMIC && has_word(capitals, '_', "RTN");
    } else if (strncmp(capitals, "V_", 2) == 0 && vector_class(capitals, &opcode->cls)) {
        opcode->is_known = true;
    } else {
        apply_rules(opcode, gcn3_late_rules, sizeof gcn3_late_rules / sizeof gcn3_late_rules[0], &whole, 0, false);
    }
}

/* --- PTX ---------------------------------------------------------------------------------------------------------- */

static bool is_access(uint8_t cls)
{
    return cls == GPU_CLASS_LOAD || cls == GPU_CLASS_STORE || cls == GPU_CLASS_ATOMIC || cls == GPU_CLASS_CONSTANT;
}

/* If the name has no space, a token may have it; a load from constant memory does not use the LD/ST unit. */
static void take_space(struct gpu_opcode *opcode, const char *tokens)
{
    for (struct word token; next_word(&tokens, '.', &token);)
        for (unsigned i = 0; i < GPU_SPACE_COUNT; i++) {
            const char *const name = gpu_space_name((enum gpu_space)i);

            if (token.length == strlen(name) && memcmp(token.at, name, token.length) == 0)
                opcode->space = (uint8_t)i;
        }
    if (opcode->cls == GPU_CLASS_LOAD && opcode->space == GPU_SPACE_CONSTANT)
        opcode->cls = GPU_CLASS_CONSTANT;
    opcode->past_l1 = opcode->past_l1 && opcode->space == GPU_SPACE_GLOBAL;
}

/* An instruction that loads without a load's name loads from global memory (4.2). A division of floating point is the
 * special function unit's, one of double precision that of double precision. */
static void classify_ptx(struct gpu_opcode *opcode, const char *text, bool has_addresses)
{
    const char *rest = text;
    struct word first;

    next_word(&rest, '.', &first);
    apply_rules(opcode, ptx_rules, sizeof ptx_rules / sizeof ptx_rules[0], &first, 0, has_addresses);
    opcode->does_not_wait = names("BAR_ARRIVE", &first);
    opcode->width_bytes = 4;
    if (has_addresses && !is_access(opcode->cls)) {
        opcode->cls = GPU_CLASS_LOAD;
        opcode->space = GPU_SPACE_GLOBAL;
    }
    if (has_addresses)
        take_space(opcode, rest);
    else if (opcode->cls == GPU_CLASS_INT && has_word(rest, '.', "F"))
        opcode->cls = names("*64", &first) ? GPU_CLASS_DP : names("DIV", &first) ? GPU_CLASS_SFU : GPU_CLASS_SP;
}

void gpu_opcode_classify(struct gpu_opcode *opcode, const char *text, enum gpu_isa isa, uint32_t binary_version,
                         bool has_addresses)
{
    size_t const length = strlen(text), room = sizeof opcode->text - 1;

    *opcode = (struct gpu_opcode){.cls = GPU_CLASS_ALU, .space = GPU_SPACE_NONE};
    memcpy(opcode->text, text, length < room ? length : room);
    if (isa == GPU_ISA_GCN3)
        classify_gcn3(opcode, text);
    else if (isa == GPU_ISA_PTX)
        classify_ptx(opcode, text, has_addresses);
    else
        classify_sass(opcode, text, binary_version, has_addresses);
    if (!opcode->is_known && has_addresses && isa != GPU_ISA_PTX) {
        opcode->cls = GPU_CLASS_LOAD;
        opcode->space = GPU_SPACE_GLOBAL;
    }
}

const char *gpu_isa_name(enum gpu_isa isa)
{
    static const char *const texts[] = {"SASS", "GCN3", "PTX"};

    return texts[isa];
}

#define CLASS_NAME(value, name) #name,
const char *gpu_class_name(enum gpu_class cls)
{
    static const char *const texts[] = { GPU_CLASSES(CLASS_NAME) };

    return texts[cls];
}

#define SPACE_NAME(value, name) #name,
const char *gpu_space_name(enum gpu_space space)
{
    static const char *const texts[] = { GPU_SPACES(SPACE_NAME) };

    return texts[space];
}
