/* Per pc the values that the second reading needs, 10 to 20 bytes, without the counts they were derived from. */
#include "replay/window/window_learnt.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "proto/io/wire.h"
#include "replay/config/op_classes.h"

/* The order is that of the bits. */
#define FLAGS(F)                                                                                                      \
    F(serialises) F(holds_up) F(is_barrier) F(is_non_speculative) F(is_comp) F(writes) F(sources_are_sure)            \
    F(has_other_target) F(was_not_taken) F(was_filtered) F(is_slow) F(is_behind_line)

#define FLAG_ENUM(field) FLAG_##field,
enum { FLAGS(FLAG_ENUM) FLAG_RESOLVER, FLAG_SOURCES, FLAG_COUNT };

/* field, type, most */
#define FIELDS(F)                                                                                                     \
    F(op, uint8_t, DETAILED_OP_COUNT - 1)                                                                             \
    F(reads, uint8_t, READS_COUNT - 1)                                                                                \
    F(latency_cyc, uint8_t, RULE_SERIALISE_MOST_CYC)                                                                  \
    F(size_bytes, uint8_t, RULE_LONGEST_INSTRUCTION)                                                                  \
    F(times, uint32_t, UINT32_MAX)                                                                                    \
    F(times_taken, uint32_t, UINT32_MAX)                                                                              \
    F(changes, uint32_t, UINT32_MAX)                                                                                  \
    F(path, uint32_t, UINT32_MAX)

uint64_t window_learnt_rules(const struct captured_core *captured)
{
#define CORE_WORD(field, value, help) captured->field,
#define RULE_WORD(name, value, section, help) (value),
    uint32_t const rules[] = {WINDOW_LEARNT_VERSION, WINDOW_RULES(RULE_WORD) CAPTURED_CORE_FIELDS(CORE_WORD)};
    enum { RULES = sizeof rules / sizeof *rules };
    uint8_t words[4 * (RULES + CAPTURED_CLASSES + CAPTURED_LONG_CLASSES)];
    uint8_t *at = words;

    for (size_t i = 0; i < RULES; i++, at += 4)
        bits_store32(at, rules[i]);
    for (size_t i = 0; i < CAPTURED_CLASSES; i++, at += 4)
        bits_store32(at, captured->classes[i].latency_cyc);
    for (size_t i = 0; i < CAPTURED_LONG_CLASSES; i++, at += 4)
        bits_store32(at, captured->long_classes[i].latency_cyc);
    return hash64(words, sizeof words);
}

/* ---- putting */
static void window_learnt_put_part(struct text *text, uint64_t number)
{
    uint8_t bytes[BITS_VARINT_MAX];

    text_put_bytes(text, bytes, (size_t)(bits_put_varint(bytes, number) - bytes));
}

/* `ranks`: by number, of all pcs in the order of their addresses. */
static void put_pc(struct text *text, const struct window_pc *pc, uint64_t before, const uint32_t *ranks)
{
    unsigned flags = (pc->resolver != WINDOW_NO_PC ? 1u << FLAG_RESOLVER : 0)
                     | (pc->source_count > 0 ? 1u << FLAG_SOURCES : 0);

#define PUT_FLAG(field) flags |= (unsigned)pc->field << FLAG_##field;
    FLAGS(PUT_FLAG)
    window_learnt_put_part(text, bits_zigzag(pc->pc - before));
    window_learnt_put_part(text, flags);
#define PUT_FIELD(field, type, most) window_learnt_put_part(text, pc->field);
    FIELDS(PUT_FIELD)
    if (pc->times_taken > 0)
        window_learnt_put_part(text, bits_zigzag(pc->target - pc->pc));
    if (pc->has_other_target)
        window_learnt_put_part(text, bits_zigzag(pc->other_target - pc->pc));
    if (pc->resolver != WINDOW_NO_PC)
        window_learnt_put_part(text, ranks[pc->resolver]);
    if (pc->source_count == 0)
        return;
    window_learnt_put_part(text, pc->source_count);
    for (unsigned i = 0; i < pc->source_count; i++)
        window_learnt_put_part(text, ranks[pc->sources[i]]);
}

struct placed { uint64_t pc; uint32_t number; };

static int compare_placed(const void *a, const void *b)
{
    const struct placed *const one = a, *const other = b;

    return (one->pc > other->pc) - (one->pc < other->pc);
}

void window_learnt_put(const struct window_pcs *pcs, struct text *text)
{
    struct placed *const order = malloc((pcs->count + 1) * sizeof *order);
    uint32_t *const ranks = malloc((pcs->count + 1) * sizeof *ranks);

    text->failed |= !order || !ranks;
    for (size_t i = 0; i < pcs->count && !text->failed; i++)
        order[i] = (struct placed){pcs->all[i].pc, (uint32_t)i};
    if (!text->failed) {
        qsort(order, pcs->count, sizeof *order, compare_placed);
        window_learnt_put_part(text, pcs->count);
    }
    for (size_t i = 0; i < pcs->count && !text->failed; i++)
        ranks[order[i].number] = (uint32_t)i;
    for (size_t i = 0; i < pcs->count && !text->failed; i++)
        put_pc(text, &pcs->all[order[i].number], i > 0 ? order[i - 1].pc : 0, ranks);
    free(order);
    free(ranks);
}

/* ---- taking */
struct taken { const uint8_t *at, *end; bool is_bad; };

/* A number up to `most`. */
static uint64_t window_learnt_take_part(struct taken *from, uint64_t most)
{
    uint64_t number = 0;
    unsigned shift = 0;

    for (; from->at < from->end && shift < 64; shift += 7) {
        uint8_t const byte = *from->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            from->is_bad |= number > most;
            return from->is_bad ? 0 : number;
        }
    }
    from->is_bad = true;
    return 0;
}

static void take_sources(struct taken *from, struct window_pc *pc, uint64_t last)
{
    pc->source_count = (uint8_t)window_learnt_take_part(from, RULE_LEARNT);
    for (unsigned i = 0; i < pc->source_count; i++)
        pc->sources[i] = (int32_t)window_learnt_take_part(from, last);
}

static void take_pc(struct taken *from, struct window_pc *pc, unsigned flags, uint64_t last)
{
#define TAKE_FLAG(field) pc->field = flags >> FLAG_##field & 1;
    FLAGS(TAKE_FLAG)
#define TAKE_FIELD(field, type, most) pc->field = (type)window_learnt_take_part(from, most);
    FIELDS(TAKE_FIELD)
    if (pc->times_taken > 0)
        pc->target = pc->pc + bits_unzigzag(window_learnt_take_part(from, UINT64_MAX));
    if (pc->has_other_target)
        pc->other_target = pc->pc + bits_unzigzag(window_learnt_take_part(from, UINT64_MAX));
    if (flags >> FLAG_RESOLVER & 1)
        pc->resolver = (int32_t)window_learnt_take_part(from, last);
    if (flags >> FLAG_SOURCES & 1)
        take_sources(from, pc, last);
}

struct fault window_learnt_take(struct window_pcs *pcs, const uint8_t *bytes, size_t count, const char *name)
{
    struct taken from = {.at = bytes, .end = bytes + count};
    uint64_t const pc_count = window_learnt_take_part(&from, INT32_MAX);
    uint64_t pc = 0;

    for (uint64_t i = 0; i < pc_count && !from.is_bad; i++) {
        unsigned flags;
        int32_t number;

        pc += bits_unzigzag(window_learnt_take_part(&from, UINT64_MAX));
        flags = (unsigned)window_learnt_take_part(&from, (1u << FLAG_COUNT) - 1);
        number = window_pcs_take(pcs, pc);
        if (number == WINDOW_NO_PC)
            return fault_make(FAULT_MEMORY, "out of memory for the pcs of a trace");
        from.is_bad |= (uint64_t)number != i;
        take_pc(&from, window_pc_at(pcs, number), flags, pc_count - 1);
    }
    if (!from.is_bad && from.at == from.end)
        return fault_none();
    return fault_make(FAULT_INPUT, "%.200s: the data learnt of the trace are inconsistent at byte %zu of %zu; make the "
                      "store again with `rubato trace pack`", name, (size_t)(from.at - bytes), count);
}
