/* SST Prospero's binary records (text-traces 8): 21 bytes, packed, little-endian: instructions so far, 'R' or 'W',
 * address, bytes.
 *
 * The file has no header: the format is detected if each of the first records has one of the two letters, a size that
 * an access may have, and a count that is not below the one before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "proto/insn/insn_format.h"

enum { RECORD = 21, LETTER_AT = 8, ADDRESS_AT = 9, SIZE_AT = 17, LOOKED_AT = 4096, MOST_BYTES = 1 << 16 };

struct state { uint64_t count; };           /* of the record before */

/* NULL: the record is plausible; else its defect. */
static const char *problem_of(const uint8_t *record)
{
    uint32_t const size = bits_load32(record + SIZE_AT);

    if (record[LETTER_AT] == 0 || !strchr("RWrw", record[LETTER_AT]))
        return "its letter is neither R nor W";
    return size == 0 || size > MOST_BYTES ? "an access has 1 byte to 64 KiB" : NULL;
}

/* Number of plausible records in the buffer before the first implausible one. *why: its defect; NULL: all are
 * plausible. */
static size_t plausible_records(const struct trace_bytes *bytes, const char **why)
{
    size_t const there = (size_t)(bytes->end - bytes->next) / RECORD;
    uint64_t before = 0;
    size_t i = 0;

    for (*why = NULL; i < there && i < LOOKED_AT; i++) {
        const uint8_t *const record = bytes->next + i * RECORD;
        uint64_t const count = bits_load64(record);

        *why = problem_of(record);
        if (!*why && count < before)
            *why = "its count of instructions is below that of the record before";
        if (*why)
            break;
        before = count;
    }
    return i;
}

static bool prospero_binary_detect(struct trace_bytes *bytes)
{
    const char *why;

    trace_bytes_look(bytes, (size_t)LOOKED_AT * RECORD);
    return plausible_records(bytes, &why) > 0 && !why;
}

static void prospero_binary_guess(struct trace_bytes *bytes, struct insn_guess *guess)
{
    const char *why;
    size_t const good = plausible_records(bytes, &why);

    if (!why)
        return;
    guess->taken = good;
    guess->place = good * RECORD;
    snprintf(guess->problem, sizeof guess->problem, "%s", why);
}

static struct fault open_prospero(struct insn_reader *reader)
{
    reader->state = calloc(1, sizeof(struct state));
    if (!reader->state)
        return fault_memory(reader->bytes.path, NULL);
    reader->lacks = INSN_LACKS_ALL_BUT_ADDRESSES & ~(1u << INSN_LACKS_THREADS);
    snprintf(reader->about, sizeof reader->about, "SST Prospero, binary records");
    return fault_none();
}

static enum insn_step prospero_binary_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;
    enum stream_status const status = trace_bytes_need(&reader->bytes, RECORD, error);
    size_t const there = (size_t)(reader->bytes.end - reader->bytes.next);
    const uint8_t *const record = reader->bytes.next;
    uint64_t count;

    if (status == STREAM_FAILED)
        return INSN_FAILED;
    if (there > 0 && there < RECORD)
        snprintf(reader->warning, sizeof reader->warning, "%zu bytes behind the last whole record of %d were left out",
                 there, RECORD);
    if (there < RECORD)
        return INSN_END;
    if (problem_of(record)) {
        *error = fault_at(reader->bytes.path, trace_bytes_offset(&reader->bytes), "is no record of Prospero: %s; the "
                          "file is damaged, or of another format", problem_of(record));
        return INSN_FAILED;
    }
    count = bits_load64(record);
    *insn = (struct insn){.form = INSN_ACCESS_ONLY};
    /* The instruction of the record before is one of them. */
    insn->gap = count > state->count ? count - state->count - (state->count > 0) : 0;
    state->count = count;
    if (FAILS(*error, insn_add_access(reader, &(struct insn_access){.address = bits_load64(record + ADDRESS_AT),
                                                                    .size_bytes = bits_load32(record + SIZE_AT),
                                                                    .is_write = (record[LETTER_AT] | 32) == 'w'})))
        return INSN_FAILED;
    reader->counts.records++;
    reader->bytes.next += RECORD;
    insn_give(reader, insn);
    return INSN_RECORD;
}

static void close_prospero(struct insn_reader *reader)
{
    free(reader->state);
}

const struct insn_format insn_prospero_binary = {
    .about = INSN_FORMAT_ABOUT(prospero_binary), .detect = prospero_binary_detect, .guess = prospero_binary_guess,
    .open = open_prospero, .next = prospero_binary_next, .close = close_prospero};
