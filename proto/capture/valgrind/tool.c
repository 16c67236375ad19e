/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tool for Valgrind that reports the program's execution to another process through shared memory, in the same words as
 * the plugin for QEMU.
 *
 * Promises.
 * 1. An instruction's words are in shared memory as soon as it ends: nothing is lost when the program dies. 2. At a
 * full ring, the tool waits as long as the reader lives; without a reader the program continues unrecorded.
 * 3. A forked child is not recorded, and a program that it starts with exec does not run in Valgrind.
 * 4. After an exec by the program itself, recording continues in the same lane.
 *
 * Option: --area=PATH, a file of capture_area_bytes() that the reader has prepared. */
#include "core.h"

#include "code.h"
#include "lanes.h"

enum { STAMP_INSNS = 64, MOST_INSNS = CAPTURE_BLOCK_INSNS };

static const HChar *area_path;
static struct capture_lane *current;     /* of the thread that runs; NULL: it is not recorded */
static bool are_several, is_successor;

/* --- while the program executes --- */

static void put_stamp(struct capture_lane *lane)
{
    lane->own[OWN_SINCE_STAMP] = 0;
    lane_put(lane, capture_word(CAPTURE_STAMP, 0, __atomic_add_fetch(&area->stamp, 1, __ATOMIC_RELAXED)));
}

static VG_REGPARM(1) void block_begins(UWord word)
{
    struct capture_lane *const lane = current;

    if (lane == NULL || lanes_are_unread)
        return;
    if (are_several) {
        lane->own[OWN_SINCE_STAMP] += word >> CAPTURE_FIELD_SHIFT & 0xfff;
        if (lane->own[OWN_SINCE_STAMP] >= STAMP_INSNS)
            put_stamp(lane);
    }
    lane_put(lane, word);
}

static VG_REGPARM(2) void access_done(UWord word, UWord address)
{
    struct capture_lane *const lane = current;

    if (lane == NULL || lanes_are_unread)
        return;
    if (address >> CAPTURE_FIELD_SHIFT != 0)
        lane_put(lane, capture_word(CAPTURE_HIGH, 0, address >> CAPTURE_FIELD_SHIFT));
    lane_put(lane, word | (address & CAPTURE_VALUE_MASK));
}

static VG_REGPARM(2) void ordering_access_done(UWord word, UWord address)
{
    access_done(word, address);
    if (current != NULL && are_several && !lanes_are_unread)
        put_stamp(current);
}

/* --- translation --- */

struct translation {
    IRSB *out;
    const IRSB *in;
    Int stmt;                /* of `in`, that is looked at */
    unsigned index;          /* of the instruction in its block of ours */
    const struct code_insn *insn;
    bool has_load;           /* the instruction */
};

/* Said to write memory, so that no load of the program is moved behind it. */
static void call(struct translation *to, UWord helper, const HChar *name, IRExpr **args, Int regparms, IRExpr *guard)
{
    IRDirty *const dirty = unsafeIRDirty_0_N(regparms, name, VG_(fnptr_to_fnentry)((void *)helper), args);

    dirty->mFx = Ifx_Modify;
    dirty->mAddr = IRExpr_Const(IRConst_U64((ULong)&area->stamp));
    dirty->mSize = 8;
    if (guard != NULL)
        dirty->guard = guard;
    addStmtToIRSB(to->out, IRStmt_Dirty(dirty));
}

static void add_block(struct translation *to, const struct code_insn *insns, unsigned count)
{
    const uint64_t word = capture_word(CAPTURE_BLOCK, count, code_tell_block(insns, count));

    call(to, (UWord)block_begins, "block_begins", mkIRExprVec_1(IRExpr_Const(IRConst_U64(word))), 1, NULL);
}

static IRExpr *number(uint64_t value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *computed(struct translation *to, IROp operation, IRExpr *left, IRExpr *right)
{
    const IRTemp result = newIRTemp(to->out->tyenv, Ity_I64);

    addStmtToIRSB(to->out, IRStmt_WrTmp(result, IRExpr_Binop(operation, left, right)));
    return IRExpr_RdTmp(result);
}

/* The instruction's expression for a temporary; NULL: computed elsewhere. */
static const IRExpr *origin(const struct translation *to, const IRExpr *of)
{
    if (of->tag == Iex_RdTmp)
        for (Int i = to->stmt - 1; i >= 0 && to->in->stmts[i]->tag != Ist_IMark; i--) {
            const IRStmt *const stmt = to->in->stmts[i];

            if (stmt->tag == Ist_WrTmp && stmt->Ist.WrTmp.tmp == of->Iex.RdTmp.tmp)
                return stmt->Ist.WrTmp.data;
        }
    return NULL;
}

/* Bytes of no power of two are several pieces, which the reader joins. */
static void add_pieces(struct translation *to, enum capture_kind kind, IRExpr *address, unsigned bytes, IRExpr *guard,
                       bool orders)
{
    enum { LARGEST_SHIFT = 5 };

    for (unsigned done = 0; done < bytes;) {
        IRExpr *const at = done == 0 ? address : computed(to, Iop_Add64, address, number(done));
        unsigned shift = LARGEST_SHIFT;

        while (1u << shift > bytes - done)
            shift--;
        done += 1u << shift;

        const uint64_t word = capture_word(kind, (uint64_t)shift << CAPTURE_SIZE_SHIFT | to->index, 0);

        if (orders && done == bytes)
            call(to, (UWord)ordering_access_done, "ordering_access_done", mkIRExprVec_2(number(word), at), 2, guard);
        else
            call(to, (UWord)access_done, "access_done", mkIRExprVec_2(number(word), at), 2, guard);
    }
}

/* guard: NULL: always. */
static void add_access(struct translation *to, enum capture_kind kind, IRExpr *address, unsigned bytes, IRExpr *guard,
                       bool orders)
{
    const enum code_quirk quirk = to->insn->quirk;
    const IRExpr *const from = origin(to, address);

    if (quirk == CODE_BITS_OF_REGISTER || (quirk == CODE_MASKED_STORE && kind == CAPTURE_LOAD))
        return;
    /* The sum of the operand's address and of bytes from there to the bit. */
    if (quirk == CODE_BITS_OF_MEMORY && from != NULL && from->tag == Iex_Binop &&
        from->Iex.Binop.op == Iop_Add64) {
        bytes = to->insn->operand;
        address = computed(to, Iop_Add64, from->Iex.Binop.arg1,
                           computed(to, Iop_And64, from->Iex.Binop.arg2, number(0ull - bytes)));
    }
    /* Elements of a gather that are masked out are loaded from elsewhere. */
    if (from != NULL && from->tag == Iex_ITE && guard == NULL)
        guard = from->Iex.ITE.cond;
    to->has_load |= kind == CAPTURE_LOAD;
    add_pieces(to, kind, address, bytes, guard, orders);
}

static unsigned type_bytes(const struct translation *to, const IRExpr *data)
{
    return (unsigned)sizeofIRType(typeOfIRExpr(to->out->tyenv, data));
}

/* An update of x86 is a load and a compare-and-swap, whose own load is not another one, or the latter alone. */
static void add_swap(struct translation *to, const IRCAS *swap)
{
    const unsigned bytes = type_bytes(to, swap->dataLo) * (swap->dataHi != NULL ? 2 : 1);

    if (!to->has_load)
        add_access(to, CAPTURE_LOAD, swap->addr, bytes, NULL, false);
    add_access(to, CAPTURE_STORE, swap->addr, bytes, NULL, true);
}

/* After the statement, so that a faulting access is not reported. */
static void add_accesses(struct translation *to, const IRStmt *stmt)
{
    switch (stmt->tag) {
    case Ist_WrTmp:
        if (stmt->Ist.WrTmp.data->tag == Iex_Load)
            add_access(to, CAPTURE_LOAD, stmt->Ist.WrTmp.data->Iex.Load.addr,
                       (unsigned)sizeofIRType(stmt->Ist.WrTmp.data->Iex.Load.ty), NULL, false);
        break;
    case Ist_Store:
        add_access(to, CAPTURE_STORE, stmt->Ist.Store.addr, type_bytes(to, stmt->Ist.Store.data), NULL, false);
        break;
    case Ist_LoadG: {
        const IRLoadG *const load = stmt->Ist.LoadG.details;
        IRType result, loaded;

        typeOfIRLoadGOp(load->cvt, &result, &loaded);
        add_access(to, CAPTURE_LOAD, load->addr, (unsigned)sizeofIRType(loaded), load->guard, false);
        break;
    }
    case Ist_StoreG: {
        const IRStoreG *const store = stmt->Ist.StoreG.details;

        add_access(to, CAPTURE_STORE, store->addr, type_bytes(to, store->data), store->guard, false);
        break;
    }
    case Ist_CAS:
        add_swap(to, stmt->Ist.CAS.details);
        break;
    case Ist_Dirty: {
        const IRDirty *const dirty = stmt->Ist.Dirty.details;

        if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify)
            add_access(to, CAPTURE_LOAD, dirty->mAddr, (unsigned)dirty->mSize, dirty->guard, false);
        if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify)
            add_access(to, CAPTURE_STORE, dirty->mAddr, (unsigned)dirty->mSize, dirty->guard, false);
        break;
    }
    default:
        break;
    }
}

/* A later statement of the instruction computes a number. */
static bool is_computed_again(const struct translation *to)
{
    for (Int i = to->stmt + 1; i < to->in->stmts_used && to->in->stmts[i]->tag != Ist_IMark; i++)
        if (to->in->stmts[i]->tag == Ist_WrTmp &&
            typeOfIRTemp(to->in->tyenv, to->in->stmts[i]->Ist.WrTmp.tmp) == Ity_I64)
            return true;
    return false;
}

/* The value of a register at the present statement: as the block has last written it, or from the guest's state. */
static IRExpr *register_value(struct translation *to, unsigned reg)
{
    const Int offset = (Int)offsetof(VexGuestAMD64State, guest_RAX) + 8 * (Int)reg;
    const IRTemp result = newIRTemp(to->out->tyenv, Ity_I64);

    for (Int i = to->stmt; i >= 0 && to->in->stmts[i]->tag != Ist_Dirty; i--) {
        const IRStmt *const stmt = to->in->stmts[i];

        if (stmt->tag != Ist_Put || stmt->Ist.Put.offset < offset || stmt->Ist.Put.offset >= offset + 8)
            continue;
        if (stmt->Ist.Put.offset == offset && type_bytes(to, stmt->Ist.Put.data) == 8)
            return stmt->Ist.Put.data;
        break;
    }
    addStmtToIRSB(to->out, IRStmt_WrTmp(result, IRExpr_Get(offset, Ity_I64)));
    return IRExpr_RdTmp(result);
}

/* A prefetch has no access in Valgrind. Of a base and an index, the last number that it computes is the address. Places
 * that no program can have are left out. */
static void add_prefetch(struct translation *to, const IRStmt *stmt)
{
    enum { ADDRESS_BITS = 47 };
    const struct code_insn *const insn = to->insn;
    const IRTemp guard = newIRTemp(to->out->tyenv, Ity_I1);
    IRExpr *address;

    if (insn->base != CODE_HAS_INDEX)
        address = computed(to, Iop_Add64, number(insn->displacement),
                           insn->base != CODE_NO_BASE ? register_value(to, insn->base) : number(0));
    else if (stmt->tag == Ist_WrTmp && typeOfIRTemp(to->in->tyenv, stmt->Ist.WrTmp.tmp) == Ity_I64)
        address = IRExpr_RdTmp(stmt->Ist.WrTmp.tmp);
    else
        return;
    addStmtToIRSB(to->out, IRStmt_WrTmp(guard, IRExpr_Binop(Iop_CmpLT64U, address, number(1ull << ADDRESS_BITS))));
    add_pieces(to, CAPTURE_LOAD, address, 1, IRExpr_RdTmp(guard), false);
}

/* Is the present statement the one that gives a prefetch's address? */
static bool is_at_prefetch(const struct translation *to, const IRStmt *stmt)
{
    if (to->insn->quirk != CODE_PREFETCH)
        return false;
    return to->insn->base != CODE_HAS_INDEX ? stmt->tag == Ist_IMark : stmt->tag != Ist_IMark && !is_computed_again(to);
}

/* The instructions of Valgrind's block, and where ours end. */
static unsigned find_insns(const IRSB *in, struct code_insn *insns)
{
    unsigned count = 0;

    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *const stmt = in->stmts[i];

        if (stmt->tag == Ist_IMark && count < MOST_INSNS) {
            struct code_insn *const insn = &insns[count++];
            uint8_t bytes[16];
            unsigned size;

            *insn = (struct code_insn){.pc = stmt->Ist.IMark.addr, .size = stmt->Ist.IMark.len};
            size = code_bytes(insn, bytes);
            insn->may_leave = code_is_division(bytes, size);
            code_find_quirk(insn, bytes, size);
        } else if (stmt->tag == Ist_Exit && count > 0) {
            insns[count - 1].may_leave = true;
        }
    }
    return count;
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word, IRType host_word)
{
    static struct code_insn insns[MOST_INSNS];
    struct translation to = {.out = deepCopyIRSBExceptStmts(in), .in = in};
    unsigned count, at = 0, begin = 0;   /* instructions met; the first of our block */

    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    if (lanes_are_unread)
        return in;
    count = find_insns(in, insns);
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *const stmt = in->stmts[i];

        addStmtToIRSB(to.out, stmt);
        to.stmt = i;
        if (stmt->tag == Ist_IMark && at < count) {
            if (at == 0 || insns[at - 1].may_leave) {
                unsigned end = at;

                while (end < count && !insns[end].may_leave)
                    end++;
                begin = at;
                add_block(&to, insns + at, (end < count ? end + 1 : count) - at);
            }
            to.index = at - begin;
            to.insn = &insns[at];
            to.has_load = false;
            at++;
        } else if (at > 0) {
            add_accesses(&to, stmt);
        }
        if (at > 0 && is_at_prefetch(&to, stmt))
            add_prefetch(&to, stmt);
    }
    return to.out;
}

/* --- system calls --- */

static void syscall_begins(ThreadId thread, UInt number, UWord *args, UInt count)
{
    struct capture_lane *const lane = lane_of_thread(thread - 1);

    if (lane == NULL || lanes_are_unread)
        return;
    if (number == __NR_rt_sigaction && args[1] != 0 &&
        VG_(am_is_valid_for_client)(args[1], sizeof(UWord), VKI_PROT_READ) && *(const UWord *)args[1] > 1)
        lane_put(lane, capture_word(CAPTURE_HANDLER, 0, *(const UWord *)args[1] & CAPTURE_VALUE_MASK));
    lane->own[OWN_CALL] = number + 1ull;
    if (are_several)
        put_stamp(lane);
    lane_put(lane, capture_word(CAPTURE_SYSCALL, 0, number));
    for (unsigned i = 0; i < CAPTURE_SYSCALL_ARGS; i++)
        lane_put(lane, i < count ? args[i] : 0);
}

static void put_call_end(struct capture_lane *lane, uint64_t number, uint64_t result)
{
    lane->own[OWN_CALL] = 0;
    lane_put(lane, capture_word(CAPTURE_SYSCALL_END, 0, number));
    lane_put(lane, result);
}

static void syscall_ends(ThreadId thread, UInt number, UWord *args, UInt count, SysRes result)
{
    struct capture_lane *const lane = lane_of_thread(thread - 1);

    /* Valgrind says it of calls that never come back, too. */
    if (lane == NULL || lanes_are_unread || number == __NR_exit || number == __NR_exit_group)
        return;
    put_call_end(lane, number, sr_isError(result) ? 0 - sr_Err(result) : sr_Res(result));
    if (are_several)
        put_stamp(lane);
    /* Code of a library: all of it, before any of it is executed. */
    if (number == __NR_mmap && count > 4 && (Int)args[4] >= 0 && (args[2] & VKI_PROT_EXEC) != 0 && !sr_isError(result))
        code_tell_pages(sr_Res(result), args[1]);
}

/* --- threads and processes --- */

static void thread_runs(ThreadId thread, ULong blocks)
{
    (void)blocks;
    current = lanes_are_unread ? NULL : lane_of_thread(thread - 1);
}

/* Ends the state from before an exec: the call is over, and the other threads have ended. */
static void succeed(void)
{
    for (unsigned i = 0; i < CAPTURE_LANES; i++) {
        struct capture_lane *const lane = &area->lanes[i];

        if (lane->own[OWN_CALL] == __NR_execve + 1 || lane->own[OWN_CALL] == __NR_execveat + 1)
            put_call_end(lane, lane->own[OWN_CALL] - 1, 0);
        lane->own[OWN_CALL] = 0;
        if (i > 0 && lane->own[OWN_THREAD] != 0) {
            lane->own[OWN_THREAD] = 0;
            lane_put(lane, capture_word(CAPTURE_THREAD_END, 0, 0));
        }
    }
    is_successor = false;
}

/* Called within the system call of the thread that creates it. */
static void thread_created(ThreadId creator, ThreadId thread)
{
    struct capture_lane *const lane = lane_of_thread(thread - 1);
    struct capture_lane *const from = creator != VG_INVALID_THREADID ? lane_of_thread(creator - 1) : NULL;
    uint64_t number;

    if (lanes_are_unread)
        return;
    if (is_successor) {
        succeed();
        return;
    }
    number = __atomic_add_fetch(&area->threads, 1, __ATOMIC_RELAXED);
    are_several |= number > 1;
    if (lane == NULL) {
        __atomic_add_fetch(&area->threads_unrecorded, 1, __ATOMIC_RELAXED);
        return;
    }
    lane_begin(lane, thread - 1);
    lane->own[OWN_SINCE_STAMP] = STAMP_INSNS;
    lane->own[OWN_THREAD] = number;
    lane->own[OWN_CALL] = 0;
    lane_put(lane, capture_word(CAPTURE_THREAD_START, 0, number));
    lane_put(lane, from != NULL ? from->own[OWN_THREAD] : 0);
    if (from != NULL)
        lane_put(from, capture_word(CAPTURE_CREATE, 0, number));
}

/* A thread that was killed may be in the middle of a block; the reader determines where. */
static void thread_ends(ThreadId thread)
{
    struct capture_lane *const lane = lane_of_thread(thread - 1);

    if (lane == NULL || lanes_are_unread || lane->own[OWN_THREAD] == 0 ||
        (lane->own[OWN_CALL] != __NR_exit + 1 && lane->own[OWN_CALL] != __NR_exit_group + 1))
        return;
    if (are_several)
        put_stamp(lane);
    lane->own[OWN_THREAD] = 0;
    lane_put(lane, capture_word(CAPTURE_THREAD_END, 0, 0));
}

static void in_child(ThreadId thread)
{
    (void)thread;
    if (!lanes_are_unread)
        __atomic_add_fetch(&area->children, 1, __ATOMIC_RELAXED);
    lanes_are_unread = true;
    current = NULL;
    VG_(clo_trace_children) = False;
}

/* --- installation --- */

static Bool take_option(const HChar *option)
{
    static const HChar name[] = "--area=";

    if (VG_(strncmp)(option, name, sizeof name - 1) != 0)
        return False;
    area_path = option + sizeof name - 1;
    return True;
}

static void print_usage(void)
{
    VG_(printf)("    --area=PATH               shared memory, as `rubato capture --with valgrind` prepares it\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void begin(void)
{
    if (area_path == NULL || !lanes_map(area_path)) {
        VG_(umsg)("capture: expected --area=FILE, as `rubato capture` prepares it\n");
        VG_(exit)(1);
    }
    lanes_are_unread = (uint64_t)VG_(getppid)() != area->reader_pid;
    is_successor = area->blocks != 0;
    VG_(atfork)(NULL, NULL, in_child);
    __atomic_store_n(&area->attached, 1, __ATOMIC_RELEASE);
}

static void end(Int exit_code)
{
    (void)exit_code;
}

static void describe(void)
{
    VG_(details_name)("Capture");
    VG_(details_version)(NULL);
    VG_(details_description)("sends rubato the instructions of a program");
    VG_(details_copyright_author)("GNU General Public License, version 2 or later.");
    VG_(details_bug_reports_to)("rubato");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(begin, instrument, end);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_syscall_wrapper)(syscall_begins, syscall_ends);
    VG_(track_start_client_code)(thread_runs);
    VG_(track_pre_thread_ll_create)(thread_created);
    VG_(track_pre_thread_ll_exit)(thread_ends);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
