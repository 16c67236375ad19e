/* Components of one kind together, for views as text: all L2s, all channels. What matters first comes first: memories,
 * then caches from the last level up, then others.
 *
 * Use: text_families_init with the layout; text_families_fill for two samples; text_families_free.
 * Ownership: names of components are borrowed from the layout. Errors: FAULT_MEMORY. */
#ifndef CLI_REPLAY_TEXT_FAMILIES_H
#define CLI_REPLAY_TEXT_FAMILIES_H

#include "memsys/telemetry/telemetry.h"

enum { TEXT_FAMILIES = 32, TEXT_FAMILY_NAME = 24, TEXT_FULLEST = 3 };

struct text_family {
    char name[TEXT_FAMILY_NAME];         /* "l2" of "l213" and of "cpu13.l2" */
    enum telemetry_part part;
    unsigned count;
    double hit_rate;                     /* of all together, by their accesses; NAN: nothing came */
    double rate, peak_rate;              /* bytes a second of memories */
    double mean, most;                   /* how full their fullest queues are; NAN: not known */
    uint32_t fullest;                    /* component with the most */
    const char *queue;                   /* of that one */
};

struct text_fullest {
    uint32_t component;
    const char *queue;
    double share;
};

struct component_figures;                /* those of viz/state/figures.h */

struct text_families {
    const struct telemetry *layout;
    struct text_family list[TEXT_FAMILIES];
    unsigned count;
    uint8_t *of;                         /* family of a component; TEXT_FAMILIES: none */
    struct component_figures *figures;   /* of all of them */
    struct text_fullest fullest[TEXT_FULLEST];   /* of different kinds, falling */
    unsigned fullest_count;
};

struct fault text_families_init(struct text_families *families, const struct telemetry *layout);
void text_families_fill(struct text_families *families, const uint64_t *before, const uint64_t *words);
void text_families_free(struct text_families *families);

#endif
