/* Logs of Spike, the RISC-V simulator: `-l` (an instruction a line), `--log-commits` (with registers and accesses), or
 * both together.
 *
 *   core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0
 *   core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000
 *   core   0: 3 0x0000000080000008 (0x0005b503) x10 0x0000000000000001 mem 0x0000000080001000
 *   core   0: 3 0x000000008000000c (0x00a5b023) mem 0x0000000080001000 0x0000000000000001
 *
 * An access with a value is a store, one without a load; sizes and kinds of branches follow from the instruction. With
 * both options a commit of the current instruction belongs to it. A hart is a thread. Other lines of Spike (exceptions,
 * names of functions) and the program's output are counted and left out. Of RV32 (pcs of 8 digits) registers are not
 * known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/insn/insn_format.h"
#include "proto/insn/line_pieces.h"

enum { LOOKED_AT = 200, LOOKED_AT_BYTES = 1 << 14, DIGITS_32 = 8, MOST_ACCESSES = 64 };

struct entry {
    enum { OF_NONE, OF_SPIKE, OF_LOG, OF_COMMIT } what;          /* the program's output, other lines, -l, commits */
    uint64_t hart, pc, bits;
    bool is_32;
    struct line_parser rest;
};

struct state {
    struct isa_decoder *decoder;
    struct insn insn;                    /* the current one */
    struct isa_insn what;                /* of it, if is_known */
    bool is_at_hand, is_known, is_committed, is_32;
    bool has_commits, has_operands;      /* so far: lines of commits, instructions that access memory */
    uint64_t line_number;
};

/* "0x0000000080000000 (0x00000297)", behind a privilege level in commits. */
static bool spike_take_insn(struct line_parser *p, struct entry *entry)
{
    uint64_t level;
    const char *digits;

    if (is_done(p))
        return false;
    entry->what = OF_LOG;
    if (*p->at >= '0' && *p->at <= '3' && p->at + 1 < p->end && (p->at[1] == ' ' || p->at[1] == '\t')) {
        entry->what = OF_COMMIT;
        take_number(p, 10, &level);
        skip_blanks(p);
    }
    if (!take_word(p, "0x"))
        return false;
    digits = p->at;
    if (!take_number(p, 16, &entry->pc))
        return false;
    entry->is_32 = p->at - digits <= DIGITS_32;
    if (!skip_blanks(p) || !take_char(p, "(") || !take_0x(p, &entry->bits) || !take_char(p, ")")
        || entry->bits > UINT32_MAX)
        return false;
    entry->rest = *p;
    return is_done(p) || skip_blanks(p);
}

static struct entry read_entry(const char *text, size_t length)
{
    struct line_parser p = {text, text + length};
    struct entry entry = {.what = OF_NONE};
    bool has_core;

    skip_blanks(&p);
    has_core = take_word(&p, "core");
    if (has_core && (!skip_blanks(&p) || !take_number(&p, 10, &entry.hart) || !take_char(&p, ":")))
        return entry;
    skip_blanks(&p);
    if (!spike_take_insn(&p, &entry) || (!has_core && entry.what == OF_LOG))
        entry.what = has_core ? OF_SPIKE : OF_NONE;
    return entry;
}

/* How many of the first lines are instructions; *others: are not Spike's at all. */
static unsigned count_insns(const struct trace_bytes *bytes, unsigned *others)
{
    const char *text = (const char *)bytes->next;
    const char *const end = (const char *)bytes->end;
    unsigned insns = 0;

    *others = 0;
    for (unsigned i = 0; text < end && i < LOOKED_AT; i++) {
        const char *const newline = memchr(text, '\n', (size_t)(end - text));
        struct entry const entry = read_entry(text, (size_t)((newline ? newline : end) - text));

        insns += entry.what == OF_LOG || entry.what == OF_COMMIT;
        *others += entry.what == OF_NONE && text != newline;
        text = newline ? newline + 1 : end;
    }
    return insns;
}

static bool spike_detect(struct trace_bytes *bytes)
{
    unsigned others, insns;

    trace_bytes_look(bytes, LOOKED_AT_BYTES);
    if (!trace_bytes_are_text(bytes))
        return false;
    insns = count_insns(bytes, &others);
    return insns > 0 && insns >= others;
}

static struct fault open_spike(struct insn_reader *reader)
{
    struct fault fault = fault_none();
    struct state *const state = calloc(1, sizeof *state);
    unsigned others;

    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    reader->state = state;
    trace_bytes_look(&reader->bytes, LOOKED_AT_BYTES);
    count_insns(&reader->bytes, &others);
    for (const char *text = (const char *)reader->bytes.next, *newline; text < (const char *)reader->bytes.end;
         text = newline + 1) {
        struct entry entry;

        newline = memchr(text, '\n', (size_t)((const char *)reader->bytes.end - text));
        if (!newline)
            newline = (const char *)reader->bytes.end;
        entry = read_entry(text, (size_t)(newline - text));
        if (entry.what != OF_LOG && entry.what != OF_COMMIT)
            continue;
        state->is_32 = entry.is_32;
        break;
    }
    state->decoder = isa_decoder_open(ISA_RV64, &fault);
    if (!state->decoder)
        return fault;
    reader->isa = state->is_32 ? ISA_UNKNOWN : ISA_RV64;
    reader->may_hold_threads = true;
    reader->lacks = state->is_32 ? 1u << INSN_LACKS_DEPENDENCES : 0;
    snprintf(reader->about, sizeof reader->about, "Spike's log%s", state->is_32 ? ", RV32" : "");
    return fault_none();
}

static void close_spike(struct insn_reader *reader)
{
    struct state *const state = reader->state;

    isa_decoder_close(state->decoder);
    free(state);
}

static void spike_begin(struct state *state, const struct entry *entry)
{
    unsigned const size = (entry->bits & 3) == 3 ? 4 : 2;

    state->insn = (struct insn){.thread = entry->hart, .pc = entry->pc, .size_bytes = size,
                                .encoding_bytes = (uint8_t)(state->is_32 ? 0 : size)};
    for (unsigned i = 0; i < size; i++)
        state->insn.encoding[i] = (uint8_t)(entry->bits >> 8 * i);
    state->is_known = isa_decode(state->decoder, entry->pc, state->insn.encoding, size, &state->what);
    if (state->is_known)
        state->insn.kind = (enum isa_kind)state->what.kind;
    if (state->is_32)
        memset(state->insn.encoding, 0, sizeof state->insn.encoding);
    state->has_operands |= state->is_known && state->what.operand_count > 0;
    state->is_at_hand = true;
    state->is_committed = entry->what == OF_COMMIT;
}

/* The size of access i: of the operand that makes it. */
static uint32_t spike_size_of(const struct state *state, bool is_write)
{
    for (unsigned i = 0; state->is_known && i < state->what.operand_count; i++)
        if (is_write ? state->what.operands[i].is_store : state->what.operands[i].is_load)
            return state->what.operands[i].size_bytes;
    return 0;
}

/* "mem ADDRESS", "mem ADDRESS VALUE", as often as there are accesses. */
static struct fault spike_add_accesses(struct insn_reader *reader, struct line_parser rest)
{
    const struct state *const state = reader->state;

    while (!is_done(&rest)) {
        struct insn_access access = {0};
        uint64_t value;

        skip_blanks(&rest);
        if (!take_whole_word(&rest, "mem")) {
            while (!is_done(&rest) && *rest.at != ' ' && *rest.at != '\t')
                rest.at++;
            continue;
        }
        skip_blanks(&rest);
        if (!take_hex(&rest, &access.address))
            continue;
        skip_blanks(&rest);
        access.is_write = !is_done(&rest) && *rest.at == '0' && take_hex(&rest, &value);
        access.size_bytes = spike_size_of(state, access.is_write);
        reader->counts.unsized += access.size_bytes == 0;
        FORWARD(insn_add_access(reader, &access));
    }
    return fault_none();
}

/* A branch is taken if the hart's next instruction is not the one behind it. next: NULL if unknown. */
static enum insn_step spike_give(struct insn_reader *reader, const struct entry *next, struct insn *insn)
{
    struct state *const state = reader->state;

    if (isa_kind_is_branch(state->insn.kind) && next && next->hart == state->insn.thread) {
        bool const is_taken = next->pc != state->insn.pc + state->insn.size_bytes
            || state->insn.kind != ISA_CONDITIONAL;

        state->insn.branch = is_taken ? INSN_TAKEN : INSN_NOT_TAKEN;
        state->insn.has_target = is_taken;
        state->insn.target = is_taken ? next->pc : 0;
    }
    *insn = state->insn;
    state->is_at_hand = false;
    insn_give(reader, insn);
    return INSN_RECORD;
}

static enum insn_step spike_end(struct insn_reader *reader, struct insn *insn)
{
    const struct state *const state = reader->state;

    if (state->is_at_hand)
        return spike_give(reader, NULL, insn);
    if (!state->has_commits && state->has_operands)
        snprintf(reader->warning, sizeof reader->warning, "the log has no accesses; Spike writes them with "
                 "--log-commits");
    else if (reader->counts.foreign > 0)
        snprintf(reader->warning, sizeof reader->warning, "%" PRIu64 " lines are not Spike's and were left out",
                 reader->counts.foreign);
    return INSN_END;
}

static enum insn_step spike_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;

    for (;;) {
        uint64_t const offset = trace_bytes_offset(&reader->bytes);
        size_t length;
        const char *const text = trace_bytes_line(&reader->bytes, &length, error);
        struct entry entry;

        if (!text && error->kind != FAULT_NONE)
            return INSN_FAILED;
        if (!text)
            return spike_end(reader, insn);
        entry = read_entry(text, length);
        if (entry.what == OF_NONE || entry.what == OF_SPIKE) {
            reader->counts.foreign += entry.what == OF_NONE && length > 0;
            reader->counts.messages += entry.what == OF_SPIKE;
            continue;
        }
        if (state->is_at_hand && entry.what == OF_COMMIT && !state->is_committed && entry.pc == state->insn.pc
            && entry.hart == state->insn.thread) {
            state->is_committed = true;
        } else if (state->is_at_hand) {
            reader->bytes.next -= trace_bytes_offset(&reader->bytes) - offset;
            return spike_give(reader, &entry, insn);
        } else {
            spike_begin(state, &entry);
            reader->counts.encodings++;
        }
        reader->counts.records++;
        state->has_commits |= entry.what == OF_COMMIT;
        if (entry.what == OF_COMMIT && FAILS(*error, spike_add_accesses(reader, entry.rest)))
            return INSN_FAILED;
    }
}

const struct insn_format insn_spike = {
    .about = INSN_FORMAT_ABOUT(spike), .is_text = true, .detect = spike_detect, .open = open_spike, .next = spike_next,
    .close = close_spike};
