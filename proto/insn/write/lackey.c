/* Valgrind's lackey (text-traces 1): I, L, S; a load and a store of one place that follow each other are M. */
#include <inttypes.h>
#include <stdio.h>

#include "proto/insn/write/target.h"

enum { USUAL_BYTES = 8 };

static struct fault lackey_put(struct insn_output *output, const char *what, uint64_t address, uint64_t bytes)
{
    char line[64];
    int const length = snprintf(line, sizeof line, "%s%08" PRIx64 ",%" PRIu64 "\n", what, address, bytes);

    return sink_write(output->sink, line, (size_t)length);
}

static struct fault lackey_begin(struct insn_output *output)
{
    struct fault fault = fault_none();

    (void)output;
    (void)&fault;
    return fault_none();
}

static uint64_t lackey_size_of(struct insn_output *output, const struct insn_access *access)
{
    if (access->size_bytes > 0)
        return access->size_bytes;
    output->result->losses[INSN_LOSS_NO_SIZES]++;
    return USUAL_BYTES;
}

static struct fault lackey_put_accesses(struct insn_output *output, const struct insn *insn)
{
    for (size_t i = 0; i < insn->access_count; i++) {
        const struct insn_access *const access = &insn->accesses[i];
        const struct insn_access *const next = i + 1 < insn->access_count ? access + 1 : access;
        bool const is_both = !access->is_write && next->is_write && next->address == access->address
            && next->size_bytes == access->size_bytes;

        FORWARD(lackey_put(output, is_both ? " M " : access->is_write ? " S " : " L ", access->address,
                           lackey_size_of(output, access)));
        i += is_both;
    }
    return fault_none();
}

static struct fault lackey_put_insn(struct insn_output *output, const struct insn_at_hand *at)
{
    uint64_t *const losses = output->result->losses;
    const uint8_t *bytes;
    uint64_t const size = insn_size_to_write(output, at);

    losses[INSN_LOSS_REPEATS] += at->insn.form == INSN_REPEAT;
    losses[INSN_LOSS_ENCODINGS] += insn_cursor_bytes(output->cursor, at->number, &bytes) > 0;
    losses[INSN_LOSS_KINDS] += isa_kind_is_branch(at->insn.kind);
    FORWARD(lackey_put(output, "I  ", at->insn.pc, size));
    return lackey_put_accesses(output, &at->insn);
}

/* Read again, it belongs to the instruction before it. */
static struct fault lackey_put_orphan(struct insn_output *output, uint64_t pc, const struct insn_access *access)
{
    (void)pc;
    output->result->losses[INSN_LOSS_OWNERS] += output->result->insns > 0;
    return lackey_put(output, access->is_write ? " S " : " L ", access->address, lackey_size_of(output, access));
}

static struct fault put_marker(struct insn_output *output, const struct insn_marker *marker)
{
    struct fault fault = fault_none();

    (void)marker;
    (void)&fault;
    output->result->losses[INSN_LOSS_MARKERS]++;
    return fault_none();
}

static void free_state(struct insn_output *output)
{
    (void)output;
}

const struct insn_target insn_to_lackey = {
    .name = "lackey", .ending = ".lackey.txt.gz", .begin = lackey_begin, .insn = lackey_put_insn,
    .orphan = lackey_put_orphan, .marker = put_marker, .end = lackey_begin, .free = free_state};
