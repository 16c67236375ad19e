/* What the parts of a search share: search.c (what is known, first designs) and search_choice.c (the next ones). */
#ifndef SWEEP_SEARCH_SEARCH_INTERNAL_H
#define SWEEP_SEARCH_SEARCH_INTERNAL_H

#include "base/hash_index.h"
#include "sweep/search/search.h"

/* Designs, each once. */
struct design_set {
    size_t axis_count, count, room;
    uint32_t *rows;
    struct hash_index index;
};

bool design_set_has(const struct design_set *set, const uint32_t *row);
/* is_new NULL: not asked. False: out of memory. */
bool design_set_add(struct design_set *set, const uint32_t *row, bool *is_new);
void design_set_free(struct design_set *set);

struct search {
    struct search_problem problem;
    struct search_draw draw;
    struct design_set asked;             /* or found not to be there */
    uint32_t *first;                     /* the first designs */
    size_t first_count, first_used;
    uint32_t *rows;                      /* told */
    struct search_answer *answers;
    size_t told, row_room, answer_room;
    struct forest *forests[SEARCH_MAX_OBJECTIVES], *chance;
};

/* The next designs by the surrogates. */
bool search_choose(struct search *search, size_t wanted, uint32_t *rows, size_t *count);
/* Takes a design, unless it was taken before or is not there. */
bool search_take(struct search *search, const uint32_t *row, bool *is_taken);
/* Any design that was not taken; *is_taken false: all were. */
bool search_take_any(struct search *search, uint32_t *row, bool *is_taken);

#endif
