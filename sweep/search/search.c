#include "sweep/search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/list.h"
#include "sweep/plan/spec.h"
#include "sweep/search/hypervolume.h"
#include "sweep/search/search_internal.h"

enum { FEWEST_FIRST = 8, FIRST_AN_AXIS = 2, TRIES = 400, KEY_BYTES = 32 };
#define MOST_COUNTED 4e6                 /* designs that are gone through one by one for the last ones */

/* ---- sets of designs */
static uint64_t row_hash(const struct design_set *set, const uint32_t *row)
{
    return hash64(row, set->axis_count * sizeof *row);
}

static uint64_t hash_of_member(const void *owner, uint32_t number)
{
    struct design_set const *const set = owner;

    return row_hash(set, set->rows + number * set->axis_count);
}

static bool find_member(const struct design_set *set, const uint32_t *row, uint64_t *at)
{
    uint32_t number;

    for (*at = row_hash(set, row); (number = hash_index_at(&set->index, *at)) != HASH_INDEX_NONE; ++*at)
        if (memcmp(set->rows + number * set->axis_count, row, set->axis_count * sizeof *row) == 0)
            return true;
    return false;
}

bool design_set_has(const struct design_set *set, const uint32_t *row)
{
    uint64_t at;

    return set->count > 0 && find_member(set, row, &at);
}

bool design_set_add(struct design_set *set, const uint32_t *row, bool *is_new)
{
    bool added;
    uint64_t at;

    if (!hash_index_fit(&set->index, hash_of_member, set)
        || !list_fit(&set->rows, (set->count + 1) * set->axis_count + 1, &set->room, sizeof *set->rows))
        return false;
    added = !find_member(set, row, &at);
    if (is_new)
        *is_new = added;
    if (!added)
        return true;
    memcpy(set->rows + set->count * set->axis_count, row, set->axis_count * sizeof *row);
    hash_index_put(&set->index, at, (uint32_t)set->count++);
    return true;
}

void design_set_free(struct design_set *set)
{
    free(set->rows);
    hash_index_free(&set->index);
}

/* ---- beginning and end */
size_t search_initial(const struct search_problem *problem)
{
    size_t count = FEWEST_FIRST + FIRST_AN_AXIS * problem->axis_count;
    double all = 1;

    for (size_t i = 0; i < problem->axis_count; i++)
        all *= problem->axes[i].levels;
    return all < (double)count ? (size_t)all : count;
}

/* Two ends, then the hypercube. */
static bool make_first(struct search *search)
{
    size_t const axes = search->problem.axis_count, count = search->first_count, drawn = count > 2 ? count - 2 : 0;
    uint32_t *const picked = calloc(drawn + 1, sizeof *picked);

    search->first = calloc(count * axes + 1, sizeof *search->first);
    if (!picked || !search->first) {
        free(picked);
        return false;
    }
    for (size_t i = 0; i < axes; i++) {
        char key[KEY_BYTES];

        snprintf(key, sizeof key, "axis %zu", i);
        if (drawn > 0)
            latin_hypercube(search->problem.seed, key, drawn, search->problem.axes[i].levels, picked);
        for (size_t k = 0; k < drawn; k++)
            search->first[(k + 2) * axes + i] = picked[k];
        if (count > 1)
            search->first[axes + i] = search->problem.axes[i].levels - 1;
    }
    free(picked);
    return true;
}

struct search *search_make(const struct search_problem *problem)
{
    struct search *const search = calloc(1, sizeof *search);
    bool is_made;

    if (!search)
        return NULL;
    search->problem = *problem;
    search->draw.state = problem->seed;
    search->asked.axis_count = problem->axis_count;
    search->first_count = search_initial(problem);
    is_made = make_first(search);
    for (size_t i = 0; i < problem->objectives; i++)
        is_made &= (search->forests[i] = forest_make(problem->axes, problem->axis_count)) != NULL;
    is_made &= (search->chance = forest_make(problem->axes, problem->axis_count)) != NULL;
    if (is_made)
        return search;
    search_free(search);
    return NULL;
}

void search_free(struct search *search)
{
    if (!search)
        return;
    for (size_t i = 0; i < SEARCH_MAX_OBJECTIVES; i++)
        forest_free(search->forests[i]);
    forest_free(search->chance);
    design_set_free(&search->asked);
    free(search->first);
    free(search->rows);
    free(search->answers);
    free(search);
}

/* ---- asking */
bool search_take(struct search *search, const uint32_t *row, bool *is_taken)
{
    struct search_problem const *const problem = &search->problem;

    if (!design_set_add(&search->asked, row, is_taken))
        return false;
    if (*is_taken && problem->is_there)
        *is_taken = problem->is_there(problem->context, row);
    return true;
}

static void draw_row(struct search *search, uint32_t *row)
{
    for (size_t i = 0; i < search->problem.axis_count; i++)
        row[i] = (uint32_t)search_draw_below(&search->draw, search->problem.axes[i].levels);
}

/* Counts on by one, like a number with mixed digits. */
static void next_row(const struct search_problem *problem, uint32_t *row)
{
    for (size_t i = problem->axis_count; i > 0 && ++row[i - 1] == problem->axes[i - 1].levels; i--)
        row[i - 1] = 0;
}

bool search_take_any(struct search *search, uint32_t *row, bool *is_taken)
{
    double all = 1;

    *is_taken = false;
    for (int i = 0; i < TRIES && !*is_taken; i++) {
        draw_row(search, row);
        if (!search_take(search, row, is_taken))
            return false;
    }
    for (size_t i = 0; i < search->problem.axis_count; i++)
        all *= search->problem.axes[i].levels;
    for (double i = 0; i < all && all <= MOST_COUNTED && !*is_taken; i++) {
        next_row(&search->problem, row);
        if (!search_take(search, row, is_taken))
            return false;
    }
    return true;
}

/* A first design that is not there is replaced by any. */
static bool ask_first(struct search *search, size_t wanted, uint32_t *rows, size_t *count)
{
    size_t const axes = search->problem.axis_count;

    for (*count = 0; *count < wanted && search->first_used < search->first_count; search->first_used++) {
        uint32_t *const row = rows + *count * axes;
        bool is_taken;

        memcpy(row, search->first + search->first_used * axes, axes * sizeof *row);
        if (!search_take(search, row, &is_taken) || (!is_taken && !search_take_any(search, row, &is_taken)))
            return false;
        *count += is_taken;
    }
    return true;
}

bool search_ask(struct search *search, size_t wanted, uint32_t *rows, size_t *count)
{
    *count = 0;
    if (search->first_used < search->first_count)
        return ask_first(search, wanted, rows, count);
    return search_choose(search, wanted, rows, count);
}

/* ---- answers */
bool search_tell(struct search *search, const uint32_t *row, const struct search_answer *answer)
{
    size_t const axes = search->problem.axis_count;

    if (!list_fit(&search->rows, (search->told + 1) * axes + 1, &search->row_room, sizeof *search->rows)
        || !list_fit(&search->answers, search->told + 1, &search->answer_room, sizeof *search->answers))
        return false;
    memcpy(search->rows + search->told * axes, row, axes * sizeof *row);
    search->answers[search->told] = *answer;
    for (size_t i = 0; i < search->problem.objectives; i++)
        if (!isfinite(answer->objectives[i]))
            search->answers[search->told].is_feasible = false;
    search->told++;
    return true;
}

size_t search_told(const struct search *search)
{
    return search->told;
}

const uint32_t *search_row(const struct search *search, size_t told)
{
    return search->rows + told * search->problem.axis_count;
}

const struct search_answer *search_answer_of(const struct search *search, size_t told)
{
    return &search->answers[told];
}

bool search_front(const struct search *search, bool *is_front, size_t *count)
{
    size_t const objectives = search->problem.objectives;
    double *const rows = malloc((search->told * objectives + 1) * sizeof *rows);
    bool *const skipped = malloc((search->told + 1) * sizeof *skipped);
    bool const has_memory = rows && skipped;

    for (size_t i = 0; has_memory && i < search->told; i++) {
        skipped[i] = !search->answers[i].is_feasible || search->answers[i].is_estimate;
        memcpy(rows + i * objectives, search->answers[i].objectives, objectives * sizeof *rows);
    }
    *count = has_memory ? front_mark(rows, search->told, objectives, skipped, is_front) : 0;
    free(rows);
    free(skipped);
    return has_memory;
}
