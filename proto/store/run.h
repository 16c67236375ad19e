/* A run: records of a store's cursor that were found sound, but are not decoded. A replay decodes each at its place in
 * the graph, so that no record is written twice.
 *
 * Use: store_records_run; store_run_next for each record, `count` of which are left, by the owner of a copy of the run,
 * so that the compiler may keep it in registers, and who gives it back changed; store_run_is_sound at last.
 * Ownership: the cursor's. */
#ifndef PROTO_STORE_RUN_H
#define PROTO_STORE_RUN_H

#include "base/bits.h"
#include "proto/store/store.h"

struct store_run {
    const uint64_t *shapes;          /* in units of 8 bytes */
    const uint16_t *place;           /* of the next record's shape, in units */
    uint64_t *slots;                 /* last addresses */
    const uint8_t *length, *bytes;   /* of the next address */
    const uint8_t *first_length, *lengths_end;       /* of the run; behind the last one zeros may follow */
    uint64_t seq_num, seq_before;    /* of the record before the next one, and before the run */
    uint32_t count;                  /* records left */
};

static inline const struct store_shape *store_run_shape(const struct store_run *run)
{
    return (const struct store_shape *)(const void *)(run->shapes + *run->place);
}

/* The address of the next record, which is an access. */
static inline uint64_t store_run_address(struct store_run *run, const struct store_shape *shape)
{
    static const uint64_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff,
                                     0xffffffffffffff, UINT64_MAX};
    unsigned const bytes = *run->length++;
    uint64_t const code = bits_load64(run->bytes) & masks[bytes];

    run->bytes += bytes;
    return run->slots[shape->address_slot] += bits_unzigzag(code);
}

/* The next record's shape and number are passed; the address of an access must have been requested before. The caller
 * counts. */
static inline void store_run_pass(struct store_run *run, const struct store_shape *shape)
{
    run->place++;
    run->seq_num += shape->seq_delta;
}

/* False: the records are invalid, which the cursor reports at the next request. */
static inline bool store_run_is_sound(const struct store_run *run)
{
    return run->length <= run->lengths_end && run->seq_num >= run->seq_before;
}

#endif
