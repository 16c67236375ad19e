/* proto/gpu/opcode.h: every row of the tables of gpu-traces 7, its special cases, and what falls through (6). */
#include "proto/gpu/opcode.h"
#include "tests/support/unit.h"

enum { KEPLER = 35, PASCAL = 61, VOLTA = 70, TURING = 75, AMPERE = 86, HOPPER = 90, GCN3 = 100 };

/* Each opcode of the list, named without the class if it is another one. */
static void expect_all(const char *list, enum gpu_isa isa, uint32_t version, enum gpu_class cls, enum gpu_space space)
{
    char text[64];

    for (const char *at = list; *at != '\0'; at += *at == ' ') {
        size_t const length = strcspn(at, " ");
        struct gpu_opcode opcode;

        snprintf(text, sizeof text, "%.*s", (int)length, at);
        gpu_opcode_classify(&opcode, text, isa, version, space != GPU_SPACE_NONE);
        if (opcode.cls != cls || opcode.space != space || !opcode.is_known)
            fail_msg("%s (%u): %s, %s, %s; expected %s, %s", text, (unsigned)version,
                     gpu_class_name((enum gpu_class)opcode.cls), gpu_space_name((enum gpu_space)opcode.space),
                     opcode.is_known ? "known" : "unknown", gpu_class_name(cls), gpu_space_name(space));
        assert_string_equal(opcode.text, text);
        at += length;
    }
}

static void expect(const char *list, uint32_t from, uint32_t to, enum gpu_class cls, enum gpu_space space)
{
    static uint32_t const versions[] = {KEPLER, PASCAL, VOLTA, TURING, AMPERE, HOPPER};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (versions[i] >= from && versions[i] <= to)
            expect_all(list, GPU_ISA_SASS, versions[i], cls, space);
}

#define SASS(list, from, to, cls, space) expect(list, from, to, GPU_CLASS_##cls, GPU_SPACE_##space)
#define AMD(list, cls, space) expect_all(list, GPU_ISA_GCN3, GCN3, GPU_CLASS_##cls, GPU_SPACE_##space)

/* 7.1, the rows of memory */
static void memory_of_sass(void **state)
{
    SASS("LDG LDG.E.64.SYS LDGSTS LDGSTS.E.BYPASS.LTC128B.128 SULDGA", KEPLER, HOPPER, LOAD, GLOBAL);
    SASS("LD LD.E", KEPLER, KEPLER, LOAD, GLOBAL);
    SASS("ST ST.E.64", KEPLER, KEPLER, STORE, GLOBAL);
    SASS("LD LD.E.128", PASCAL, HOPPER, LOAD, GENERIC);
    SASS("ST", PASCAL, HOPPER, STORE, GENERIC);
    SASS("LDL LDL.64", KEPLER, HOPPER, LOAD, LOCAL);
    SASS("STL", KEPLER, HOPPER, STORE, LOCAL);
    SASS("LDS LDS.U.128 LDSM.16.M88.4 LDSLK", KEPLER, HOPPER, LOAD, SHARED);
    SASS("STS STSCUL STAS", KEPLER, HOPPER, STORE, SHARED);
    SASS("STG STG.E.U8.SYS SUSTGA", KEPLER, HOPPER, STORE, GLOBAL);
    SASS("ATOM ATOM.E.ADD ATOMG RED RED.E.ADD.F32.FTZ.RN", KEPLER, HOPPER, ATOMIC, GLOBAL);
    SASS("ATOMS ATOMS.ADD", KEPLER, HOPPER, ATOMIC, SHARED);
    SASS("LDC LDC.64", KEPLER, HOPPER, CONSTANT, CONSTANT);
    SASS("TEX TLD TLD4 TMML TXD TXQ", VOLTA, HOPPER, TEXTURE, TEXTURE);
    SASS("TEX TLD TLD4 TMML TXD TXQ", KEPLER, PASCAL, ALU, TEXTURE);
    SASS("TEXS TLDS TLD4S", KEPLER, HOPPER, ALU, TEXTURE);
    SASS("SULD SUST SURED SUATOM SUQUERY", KEPLER, HOPPER, ALU, NONE);
    SASS("SUBFM SUCLAMP SUEAU", KEPLER, KEPLER, LOAD, NONE);
}

/* 7.1, the rows of units */
static void units_of_sass(void **state)
{
    SASS("EXIT", KEPLER, HOPPER, EXIT, NONE);
    SASS("BAR BAR.SYNC BAR.ARV", KEPLER, HOPPER, BARRIER, NONE);
    SASS("MEMBAR MEMBAR.SC.GPU FENCE", KEPLER, HOPPER, MEMBAR, NONE);
    SASS("HMMA.1688.F32 BMMA DMMA HGMMA QGMMA IGMMA", KEPLER, HOPPER, TENSOR, NONE);
    SASS("IMMA.8816.S8.S8", TURING, HOPPER, TENSOR, NONE);
    SASS("IMMA", KEPLER, VOLTA, INT, NONE);
    SASS("MUFU.RCP", KEPLER, HOPPER, SFU, NONE);
    SASS("DADD DFMA DMUL DSETP DMNMX DSET", KEPLER, HOPPER, DP, NONE);
    SASS("BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL JMP JMX JMXU KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD SSY "
         "SYNC ELECT", KEPLER, HOPPER, BRANCH, NONE);
    SASS("CAL JCAL PEXIT RET BRK CONT PBK PCNT PRET", KEPLER, PASCAL, BRANCH, NONE);
    SASS("R2UR REDUX S2UR VOTEU UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR "
         "UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR", TURING, HOPPER, UNIFORM, NONE);
    SASS("ULDC ULDC.64", TURING, HOPPER, UNIFORM, CONSTANT);
    SASS("BFE BFI BMSK BREV FLO IABS IADD IADD3 IADD32I ICMP IDP IDP4A IMAD IMADSP IMNMX IMUL IMUL32I ISAD ISCADD "
         "ISCADD32I ISET ISETP ISUB LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VADD VMNMX XMAD VIADD "
         "VIADDMNMX", KEPLER, HOPPER, INT, NONE);
    SASS("FADD FADD32I FCHK FCMP FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZ FSWZADD HADD2 HFMA2 HMUL2 HSET2 "
         "HSETP2 HMNMX2 HADD2_32I HFMA2_32I HMUL2_32I RRO VIMNMX", KEPLER, HOPPER, SP, NONE);
    SASS("MOV MOV32I MOVM PRMT SEL SGXT SHFL VOTE VOTE_VTG MATCH S2R CS2R P2R R2P B2R R2B CSET CSETP PSET PSETP PLOP3 "
         "PMTRIG QSPC LEPC NOP DEPBAR LDGDEPBAR CCTL CCTLL CCTLT ERRBAR F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP "
         "GETLMEMBASE SETLMEMBASE SETCTAID CSMTEST ARRIVES USETMAXREG UCGABAR_ARV UCGABAR_WAIT WARPGROUP CGAERRBAR "
         "SYNCS", KEPLER, HOPPER, ALU, NONE);
}

/* 7.1: "Fallback by prefix for names not listed", and the two names that look like others */
static void falls_back_by_prefix(void **state)
{
    SASS("UNEW", KEPLER, HOPPER, UNIFORM, NONE);
    SASS("DADDX DFMAX DMULX DSETX DMNMXX", KEPLER, HOPPER, DP, NONE);
    SASS("HNEW FNEW.FTZ", KEPLER, HOPPER, SP, NONE);
    SASS("INEW VNEW LOPX LEAX", KEPLER, HOPPER, INT, NONE);
    SASS("BNEW", KEPLER, HOPPER, ALU, NONE);
    SASS("OMMA UTCHMMA", KEPLER, HOPPER, TENSOR, NONE);
    SASS("LDX.64", KEPLER, HOPPER, LOAD, GLOBAL);
    SASS("LDSX", KEPLER, HOPPER, LOAD, SHARED);
    SASS("LDLX", KEPLER, HOPPER, LOAD, LOCAL);
    SASS("STX", KEPLER, HOPPER, STORE, GLOBAL);
    SASS("ATOMX REDX", KEPLER, HOPPER, ATOMIC, GLOBAL);
    SASS("ATOMSX", KEPLER, HOPPER, ATOMIC, SHARED);
    SASS("HFMA2.MMA", KEPLER, HOPPER, SP, NONE);
    SASS("IMAD.MOV IMAD.IADD", KEPLER, HOPPER, INT, NONE);
}

/* 6: ALU without addresses, global memory with them; counted as unknown */
static void unknown_goes_by_width(void **state)
{
    static const char *const texts[] = {"QQQ", "LDX", "", ".", "exit", "S_ENDPGM"};
    struct gpu_opcode opcode;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        gpu_opcode_classify(&opcode, texts[i], GPU_ISA_SASS, VOLTA, false);
        assert_int_equal(opcode.cls, GPU_CLASS_ALU);
        assert_int_equal(opcode.space, GPU_SPACE_NONE);
        assert_false(opcode.is_known);
    }
    gpu_opcode_classify(&opcode, "QQQ", GPU_ISA_SASS, VOLTA, true);
    assert_int_equal(opcode.cls, GPU_CLASS_LOAD);
    assert_int_equal(opcode.space, GPU_SPACE_GLOBAL);
    assert_false(opcode.is_known);
    gpu_opcode_classify(&opcode, "XYZ_LOAD", GPU_ISA_GCN3, GCN3, true);
    assert_int_equal(opcode.space, GPU_SPACE_GLOBAL);
    assert_false(opcode.is_known);
}

/* "as traced, cut if longer" */
static void cuts_long_texts(void **state)
{
    char text[200];
    struct gpu_opcode opcode;

    memset(text, 'F', sizeof text);
    text[sizeof text - 1] = '\0';
    gpu_opcode_classify(&opcode, text, GPU_ISA_SASS, VOLTA, false);
    assert_int_equal(strlen(opcode.text), sizeof opcode.text - 1);
    gpu_opcode_classify(&opcode, text, GPU_ISA_GCN3, GCN3, false);
    assert_int_equal(strlen(opcode.text), sizeof opcode.text - 1);
}

/* 7.2 */
static void special_care(void **state)
{
    struct gpu_opcode opcode;

#define FLAG(text, version, field, expected)                                                                          \
    do {                                                                                                              \
        gpu_opcode_classify(&opcode, text, GPU_ISA_SASS, version, true);                                              \
        if (opcode.field != (expected))                                                                               \
            fail_msg("%s: " #field " is %d", text, opcode.field);                                                     \
    } while (0)
    FLAG("LDG.E.STRONG.GPU", VOLTA, past_l1, true);
    FLAG("LDG.E.STRONG.SYS", VOLTA, past_l1, false);
    FLAG("LDG.E.GPU", VOLTA, past_l1, false);
    FLAG("LDGSTS.E.BYPASS.128", AMPERE, past_l1, true);
    FLAG("LDGSTS.E.128", AMPERE, past_l1, false);
    FLAG("LDGSTS.E.128", AMPERE, is_copy_to_shared, true);
    FLAG("ARRIVES.LDGSTSBAR.64", AMPERE, is_copy_to_shared, false);
    FLAG("LDGDEPBAR", AMPERE, is_copy_to_shared, false);
    FLAG("LDGDEPBAR", AMPERE, is_commit_group, true);
    FLAG("DEPBAR.LE", AMPERE, is_wait_group, true);
    FLAG("DEPBAR.LE", PASCAL, is_wait_group, false);
    FLAG("ATOM.E.ADD", PASCAL, returns, true);
    FLAG("ATOMG.E.ADD", VOLTA, returns, true);
    FLAG("ATOMG.E.ADD", VOLTA, past_l1, true);
    FLAG("RED.E.ADD", VOLTA, returns, false);
    FLAG("RED.E.ADD", VOLTA, past_l1, true);
    FLAG("ATOMS.ADD", VOLTA, past_l1, false);
    FLAG("BAR.ARV", VOLTA, does_not_wait, true);
    FLAG("BAR.SYNC.DEFER_BLOCKING", VOLTA, does_not_wait, false);
    FLAG("HADD2.F32", VOLTA, is_half, true);
    FLAG("HFMA2.MMA", VOLTA, is_half, true);
    FLAG("HMMA.16816.F16", VOLTA, is_half, false);
    FLAG("FADD", VOLTA, is_half, false);
#undef FLAG
}

/* 3.3, with its examples and their expected values */
static void widths_of_sass(void **state)
{
    static const struct {
        const char *text;
        unsigned width;
    } cases[] = {
        {"LDG.E.64.SYS", 8}, {"LDG.E.U8", 1}, {"LDS.U.128", 16}, {"LDG.E", 4}, {"LDG", 4}, {"STG.E.S16", 2},
        {"LDSM.16.M88.4", 16}, {"LDGSTS.E.BYPASS.LTC128B.128", 16}, {"ATOMG.E.ADD.F64", 8}, {"LDG.E.U16", 2},
        {"LDG.E.96", 12}, {"LDG.E.S8", 1}, {"RED.E.ADD.F16x2.RN", 4}, {"ATOMG.E.CAS.B64", 8}, {"LDG.E.256", 32},
        {"HMMA.16816.F32", 4}, {"LDG.E.99999999999999999999", 4}, {"LDG.U", 4}, {"LDG..", 4}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_opcode opcode;

        gpu_opcode_classify(&opcode, cases[i].text, GPU_ISA_SASS, VOLTA, true);
        if (opcode.width_bytes != cases[i].width)
            fail_msg("%s: %u bytes, expected %u", cases[i].text, opcode.width_bytes, cases[i].width);
    }
}

/* 7.3, row by row */
static void scalars_of_gcn3(void **state)
{
    AMD("S_ENDPGM s_endpgm", EXIT, NONE);
    AMD("S_BARRIER", BARRIER, NONE);
    AMD("S_WAITCNT s_waitcnt", WAIT, NONE);
    AMD("S_BRANCH S_CBRANCH_SCC1 S_SETPC_B64 S_SWAPPC_B64 S_CALL_B64 S_RFE_B64 S_TRAP S_SLEEP S_CMOV_B32 S_CMOVK_I32 "
        "S_GETPC_B64", BRANCH, NONE);
    AMD("S_LOAD_DWORDX8 s_load_dword S_BUFFER_LOAD_DWORD S_SCRATCH_LOAD_DWORD", LOAD, SCALAR);
    AMD("S_STORE_DWORD S_BUFFER_STORE_DWORDX4", STORE, SCALAR);
    AMD("S_ATOMIC_ADD", ATOMIC, SCALAR);
    AMD("S_DCACHE_INV S_ICACHE_INV S_MEMTIME S_MEMREALTIME S_ATC_PROBE S_SENDMSG S_SETPRIO S_NOP S_SETHALT "
        "S_TTRACEDATA S_INCPERFLEVEL", MISC, NONE);
    AMD("S_AND_B32 S_ANDN2_B64 S_ASHR_I32 S_BFE_U32 S_BFM_B32 S_MOV_B32 S_MUL_I32 S_CMP_EQ_U32 S_SETREG_B32", SCALAR,
        NONE);
}

static void memory_of_gcn3(void **state)
{
    AMD("DS_READ_B32 DS_READ2_B64 DS_READ2ST64_B32 DS_READ_U8 DS_READ_I16 DS_READ_B128 ds_read_b32", LOAD, SHARED);
    AMD("DS_WRITE_B32 DS_WRITE2_B64 DS_WRITE_B96", STORE, SHARED);
    AMD("DS_ADD_U32 DS_SUB_RTN_U32 DS_INC_U32 DS_DEC_U32 DS_MIN_I32 DS_MAX_F32 DS_AND_B32 DS_OR_B32 DS_XOR_B32 "
        "DS_CMPST_B32 DS_APPEND DS_CONSUME DS_WRXCHG_RTN_B32", ATOMIC, SHARED);
    AMD("DS_SWIZZLE_B32 DS_PERMUTE_B32 DS_BPERMUTE_B32 DS_NOP", ALU, NONE);
    AMD("DS_GWS_BARRIER", MISC, GLOBAL_SHARE);
    AMD("DS_ADD_U32_GDS", ATOMIC, GLOBAL_SHARE);
    AMD("DS_READ_B32_GDS", LOAD, GLOBAL_SHARE);
    AMD("FLAT_LOAD_DWORDX4 GLOBAL_LOAD_DWORD BUFFER_LOAD_DWORD TBUFFER_LOAD_FORMAT_X IMAGE_LOAD IMAGE_SAMPLE_L", LOAD,
        GLOBAL);
    AMD("FLAT_STORE_BYTE GLOBAL_STORE_DWORD BUFFER_STORE_DWORD TBUFFER_STORE_FORMAT_X IMAGE_STORE", STORE, GLOBAL);
    AMD("FLAT_ATOMIC_ADD GLOBAL_ATOMIC_ADD BUFFER_ATOMIC_ADD_X2 IMAGE_ATOMIC_ADD", ATOMIC, GLOBAL);
    AMD("SCRATCH_LOAD_DWORD", LOAD, LOCAL);
    AMD("SCRATCH_STORE_DWORD", STORE, LOCAL);
    AMD("BUFFER_WBINVL1 BUFFER_WBINVL1_VOL EXP V_INTERP_P1_F32", MISC, NONE);
}

static void vectors_of_gcn3(void **state)
{
    AMD("V_RCP_IFLAG_F32_E32 V_RCP_F64 V_RSQ_F16 V_SQRT_F64 V_EXP_F32 V_LOG_LEGACY_F32 V_SIN_F32 V_COS_F16", SFU, NONE);
    AMD("V_ADD_F64 V_CEIL_F64 V_FMA_F64 V_FREXP_EXP_I32_F64 V_CMP_LT_F64_E64", DP, NONE);
    AMD("V_ADD_F32_E32 V_MAC_F32 V_MUL_F16 v_mad_f32 V_DIV_FMAS_F32 V_LDEXP_F32", SP, NONE);
    AMD("V_CVT_F32_U32_E32 V_CVT_F16_F32 V_CVT_F32_F64 V_CVT_F32_UBYTE0 V_CVT_OFF_F32_I4", SP, NONE);
    AMD("V_CVT_F64_I32 V_CVT_F64_F32", DP, NONE);
    AMD("V_CVT_U32_F32_E32 V_CVT_I32_F64 V_CVT_PKRTZ_F16_F32 V_CVT_PK_U8_F32 V_CVT_RPI_I32_F32", INT, NONE);
    AMD("V_MOV_B32_E32 V_MOVRELS_B32 V_CNDMASK_B32_E64 V_READLANE_B32 V_READFIRSTLANE_B32 V_WRITELANE_B32 V_NOP "
        "V_CLREXCP", ALU, NONE);
    AMD("V_ADD_U32_E32 V_MUL_LO_U32 V_LSHLREV_B64 V_CMP_EQ_U32_E64 V_CMP_GT_F32_E32 V_CMPX_CLASS_F32 V_BFE_U32", INT,
        NONE);
}

static void flags_and_widths_of_gcn3(void **state)
{
    static const struct {
        const char *text;
        unsigned width;
        bool returns;
    } cases[] = {
        {"FLAT_LOAD_DWORD", 4, false}, {"FLAT_LOAD_DWORDX4", 16, false}, {"S_LOAD_DWORDX16", 64, false},
        {"FLAT_LOAD_UBYTE", 1, false}, {"FLAT_STORE_SHORT", 2, false}, {"DS_READ_U8", 1, false},
        {"DS_READ2_B64", 16, false}, {"DS_WRITE_B128", 16, false}, {"DS_ADD_RTN_U32", 4, true},
        {"ds_add_rtn_u32", 4, true}, {"DS_ADD_U64", 8, false}, {"BUFFER_ATOMIC_ADD_X2", 8, false},
        {"DS_APPEND", 4, true}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_opcode opcode;

        gpu_opcode_classify(&opcode, cases[i].text, GPU_ISA_GCN3, GCN3, true);
        if (opcode.width_bytes != cases[i].width || opcode.returns != cases[i].returns)
            fail_msg("%s: %u bytes, returns %d", cases[i].text, opcode.width_bytes, opcode.returns);
    }
}

static void names(void **state)
{
    assert_string_equal(gpu_class_name(GPU_CLASS_ALU), "alu");
    assert_string_equal(gpu_class_name(GPU_CLASS_MISC), "misc");
    assert_string_equal(gpu_space_name(GPU_SPACE_NONE), "none");
    assert_string_equal(gpu_space_name(GPU_SPACE_GLOBAL_SHARE), "gds");
}

/* ---- PTX: macsim-traces 4.2, appendix C; sizes and lanes are records', so names are all there is */

#define PTX(list, cls, space) expect_all(list, GPU_ISA_PTX, 0, GPU_CLASS_##cls, GPU_SPACE_##space)

static void names_of_ptx(void **state)
{
    PTX("MEM_LD_GM MEM_LDU_GM MEM_LD_GM.F LD LDU64 LD.global ADD", LOAD, GLOBAL);
    PTX("MEM_LD_LM LD.local DATA_XFER_LM", LOAD, LOCAL);
    PTX("MEM_LD_SM MEM_LD_PM LD64.shared", LOAD, SHARED);
    PTX("MEM_LD_TM TEX LD.texture", LOAD, TEXTURE);
    PTX("MEM_LD_CM LD.constant", CONSTANT, CONSTANT);
    PTX("MEM_ST_GM ST", STORE, GLOBAL);
    PTX("MEM_ST_SM ST.shared", STORE, SHARED);
    PTX("MEM_ST_LM ST64.local", STORE, LOCAL);
    PTX("ATOM_GM ATOM64_GM RED_GM ATOM", ATOMIC, GLOBAL);
    PTX("ATOM_SM RED64_SM ATOM.shared", ATOMIC, SHARED);
    PTX("BAR_SYNC BAR_RED BAR_ARRIVE BAR", BARRIER, NONE);
    PTX("MEMBAR_CTA MEMBAR_GL MEMBAR_SYS", MEMBAR, NONE);
    PTX("BRA CALL RET", BRANCH, NONE);
    PTX("EXIT", EXIT, NONE);
    PTX("SIN SIN.F DIV.F", SFU, NONE);
    PTX("ADD.F MAD.F CVT.F", SP, NONE);
    PTX("ADD64.F FMA64.F DIV64.F SQRT64.F", DP, NONE);
    PTX("ADD ADD64 MAD DIV SHL64 SETP", INT, NONE);
    PTX("MOV MOV64.F RECONVERGE SHFL", ALU, NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_sass), cmocka_unit_test(units_of_sass), cmocka_unit_test(falls_back_by_prefix),
        cmocka_unit_test(unknown_goes_by_width), cmocka_unit_test(cuts_long_texts), cmocka_unit_test(special_care),
        cmocka_unit_test(widths_of_sass), cmocka_unit_test(scalars_of_gcn3), cmocka_unit_test(memory_of_gcn3),
        cmocka_unit_test(vectors_of_gcn3), cmocka_unit_test(flags_and_widths_of_gcn3), cmocka_unit_test(names),
        cmocka_unit_test(names_of_ptx)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
