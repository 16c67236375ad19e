/* Telemetry: the state of a run, observed while it executes, as samples of a fixed size.
 *
 * A layout names the components of a system, how they are joined, and the figures of each: place in a sample, meaning,
 * unit, limit. A sample holds raw numbers only: counters since the statistics began, levels at its tick, integrals of
 * levels over time. Rates and averages are made by readers, from the difference of two samples.
 *
 * Use: telemetry_init; telemetry_add_component, telemetry_add and telemetry_link at set-up (for the components of a
 * memory system: replay/record/telemetry_text.h); telemetry_freeze; then telemetry_read whenever a sample is wanted.
 * A run without samples pays nothing: components know nothing of telemetry.
 * Units: ticks are picoseconds. Ownership: names of components and of figures are copied; sources, units,
 * help texts and lists of names are borrowed and must outlive the layout. Nothing is allocated after
 * telemetry_freeze. */
#ifndef MEMSYS_TELEMETRY_TELEMETRY_H
#define MEMSYS_TELEMETRY_TELEMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/occupancy.h"

#define TELEMETRY_NONE UINT32_MAX

/* A sample is an array of 64-bit words: these first, then the values. */
enum telemetry_word {
    TELEMETRY_NUMBER,                    /* of the sample, from 0 */
    TELEMETRY_TIME,                      /* ps */
    TELEMETRY_SINCE,                     /* ps: counters began at 0 there; it rises when statistics restart */
    TELEMETRY_HEAD
};

/* P(value, name) */
#define TELEMETRY_PARTS(P)                                                                                            \
    P(SYSTEM, system) P(CORE, core) P(CACHE, cache) P(BUS, bus) P(MEMORY, memory) P(CHANNEL, channel) P(RANK, rank)   \
    P(GPU, gpu) P(SM, sm) P(SLICE, slice)

#define TELEMETRY_PART_VALUE(value, name) TELEMETRY_##value,
enum telemetry_part { TELEMETRY_PARTS(TELEMETRY_PART_VALUE) TELEMETRY_PART_COUNT };
#undef TELEMETRY_PART_VALUE

/* K(value, name): the meaning of the difference of two samples */
#define TELEMETRY_KINDS(K)                                                                                            \
    K(COUNTER, counter)          /* count in between; limit: maximum a second */                                      \
    K(INTEGRAL, integral)        /* divided by the time between: the average; limit: of that average */               \
    K(LEVEL, level)              /* nothing: it is the number at that tick; limit: maximum */                         \
    K(STATE, state)              /* nothing: it is the place of a name in state_names */                              \
    K(BINS, bins)                /* a histogram of the values in between */                                            \
    K(PLACE, place)              /* nothing: an address or a size */

#define TELEMETRY_KIND_VALUE(value, name) TELEMETRY_##value,
enum telemetry_kind { TELEMETRY_KINDS(TELEMETRY_KIND_VALUE) TELEMETRY_KIND_COUNT };
#undef TELEMETRY_KIND_VALUE

const char *telemetry_part_name(enum telemetry_part part);
const char *telemetry_kind_name(enum telemetry_kind kind);

struct telemetry_component {
    const char *name;                    /* as in statistics, without "system." */
    enum telemetry_part part;
    uint32_t parent;                     /* the component that contains it, or TELEMETRY_NONE */
};

/* Requests go from one component to another. */
struct telemetry_link {
    uint32_t from, to;
    uint32_t field, element;             /* the value that counts its bytes; field may be TELEMETRY_NONE */
};

struct telemetry_field;
/* Writes the field's values as of now_ps. */
typedef void telemetry_reader(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values);

struct telemetry_field {
    uint32_t component;
    uint32_t first, count;               /* words of the sample; first is set by telemetry_add */
    enum telemetry_kind kind;
    const char *name, *unit, *help;
    const char *const *element_names;    /* of count > 1; NULL: numbered */
    const char *const *state_names;      /* of a STATE: state_count many */
    uint32_t state_count;
    uint64_t limit;                      /* see TELEMETRY_KINDS; 0: none */
    /* Where values come from: `read`, or, if that is NULL, words in memory. */
    telemetry_reader *read;
    const void *source;
    uint64_t argument;                   /* the reader's */
    size_t word_bytes;                   /* 2, 4 or 8; 0: 8 */
    size_t stride;                       /* bytes from word to word; 0: they are neighbours */
    uint64_t scale;                      /* the value of a word that is 1; 0: 1 */
};

struct telemetry {
    struct telemetry_component *components;
    struct telemetry_link *links;
    struct telemetry_field *fields;
    uint32_t component_count, link_count, field_count;
    size_t component_room, link_room, field_room;
    uint32_t word_count;                 /* of a sample */
    uint64_t samples;                    /* read so far */
    uint64_t since_ps;                   /* see TELEMETRY_SINCE; kept by the code that resets statistics */
    bool is_frozen, lacks_memory;
};

void telemetry_init(struct telemetry *telemetry);
void telemetry_free(struct telemetry *telemetry);

/* The answers are the places in the arrays. Running out of memory is reported by telemetry_freeze. */
uint32_t telemetry_add_component(struct telemetry *telemetry, enum telemetry_part part, uint32_t parent,
                                 const char *name);
uint32_t telemetry_add(struct telemetry *telemetry, const struct telemetry_field *field);
/* Several figures of one component, as a table: component is set; count 0 means 1, unit NULL "Count". The answer is the
 * place of the first; the others follow. */
uint32_t telemetry_add_table(struct telemetry *telemetry, uint32_t component, const struct telemetry_field *rows,
                             size_t count);
#define TELEMETRY_ADD_TABLE(telemetry, component, rows)                                                               \
    telemetry_add_table(telemetry, component, rows, sizeof(rows) / sizeof *(rows))
void telemetry_link(struct telemetry *telemetry, const struct telemetry_link *link);

/* Ends set-up: word_count does not change any more. FAULT_MEMORY. */
struct fault telemetry_freeze(struct telemetry *telemetry);

/* Fills word_count words. Nothing that is simulated changes. */
void telemetry_read(struct telemetry *telemetry, uint64_t now_ps, uint64_t *words);

/* The first field of that name of a component; NULL if it has none. */
const struct telemetry_field *telemetry_find(const struct telemetry *telemetry, uint32_t component, const char *name);

/* ---- for readers: one value of a field in a sample, and between two samples, `before` NULL or older than `words`.
 * If statistics restarted in between, the difference is the count since then. */
static inline uint64_t telemetry_value(const struct telemetry_field *field, uint32_t element, const uint64_t *words)
{
    return words[field->first + element];
}

static inline uint64_t telemetry_delta(const struct telemetry_field *field, uint32_t element, const uint64_t *before,
                                       const uint64_t *words)
{
    uint64_t const now = words[field->first + element];

    if (!before || before[TELEMETRY_SINCE] != words[TELEMETRY_SINCE])
        return now;
    return now - before[field->first + element];
}

/* Time that such a difference covers, ps. */
static inline uint64_t telemetry_span_ps(const uint64_t *before, const uint64_t *words)
{
    if (!before || before[TELEMETRY_SINCE] != words[TELEMETRY_SINCE])
        return words[TELEMETRY_TIME] - words[TELEMETRY_SINCE];
    return words[TELEMETRY_TIME] - before[TELEMETRY_TIME];
}

/* The value of a figure between two samples: counters and bins in a second, integrals on average, others as they
 * are. */
double telemetry_rate(const struct telemetry_field *field, uint32_t element, const uint64_t *before,
                      const uint64_t *words);

/* ---- latencies, in the bins of memsys/sim/latency_histogram.h */

/* Percentile of the latencies between two samples: the middle of its bin, off by at most 6 %; 0 without samples. */
uint64_t telemetry_latency_percentile(const struct telemetry_field *field, const uint64_t *before,
                                      const uint64_t *words, double percent);

#endif
