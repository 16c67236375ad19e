/* Compares two pipeline listings stage by stage, ours and the reference's (tests/support/stages.h).
 *
 *     stages_compare [OPTION...] OURS REFERENCE
 *
 * Prints how many committed micro-ops are equal in all seven stages, and in each; then the first that differs, between
 * rows around it of both sides, squashed ones included: cycles from the first fetch, a differing stage marked with the
 * difference (ours - theirs). "equal from the one before": cycles counted from the retirement of the micro-op before,
 * so that what went wrong earlier does not count again.
 *   --context N     rows before and after the first difference (10)
 *   --from N        the first difference at or behind the committed micro-op N (0)
 *   --places N      the first N committed micro-ops where the retirements drift apart (ours - theirs changes)
 *   --by-pc N       the N pcs with the most drift in all
 *   --stage NAME    the stage whose drift --places and --by-pc show, in place of retire
 *
 * Exit code: 0 all equal, 1 some differ, 2 a listing cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/stages.h"

struct options {
    size_t context, from, places, by_pc;
    unsigned stage;
};

/* ---- rows side by side */
static void print_row(const struct stage_row *row, const struct stage_row *other)
{
    if (!row) {
        printf("%-90s", "");
        return;
    }
    printf("%7" PRIu64 " %c %8" PRIx64 ".%u %8" PRIx64 " %2u", row->seq, row->is_committed ? 'C' : 's', row->pc,
           row->micro_op, row->encoding, row->op_class);
    for (unsigned k = 0; k < STAGE_COUNT; k++) {
        bool const differs = other && stages_apart(row, other, k) != 0;

        if (row->cycles[k] == STAGE_NONE)
            printf(" %7s%c", "-", differs ? '*' : ' ');
        else
            printf(" %7" PRId64 "%c", row->cycles[k], differs ? '*' : ' ');
    }
}

static void print_apart(const struct stage_row *ours, const struct stage_row *theirs)
{
    for (unsigned k = 0; k < STAGE_COUNT; k++) {
        int64_t const apart = stages_apart(ours, theirs, k);

        if (apart == STAGE_NONE)
            printf(" %s ?", stage_names[k]);
        else if (apart != 0)
            printf(" %s %+" PRId64, stage_names[k], apart);
    }
}

static void print_pair(const struct stage_row *ours, const struct stage_row *theirs)
{
    print_row(ours, theirs);
    printf(" | ");
    print_row(theirs, ours);
    if (ours && theirs)
        print_apart(ours, theirs);
    else
        printf(" only %s", ours ? "ours" : "theirs");
    putchar('\n');
}

/* Rows of both from those places up to, without, the ends; squashed ones paired as far as they are at the same pc. */
static void print_between(const struct stage_listing *ours, size_t our_row, size_t our_end,
                          const struct stage_listing *theirs, size_t their_row, size_t their_end)
{
    while (our_row < our_end || their_row < their_end) {
        const struct stage_row *const one = our_row < our_end ? &ours->rows[our_row] : NULL;
        const struct stage_row *const other = their_row < their_end ? &theirs->rows[their_row] : NULL;

        if (one && other && stages_same_place(one, other)) {
            print_pair(one, other);
            our_row++;
            their_row++;
        } else if (one && (!other || our_end - our_row >= their_end - their_row)) {
            print_pair(one, NULL);
            our_row++;
        } else {
            print_pair(NULL, other);
            their_row++;
        }
    }
}

static size_t row_behind(const struct stage_listing *listing, size_t pair)
{
    return pair == 0 ? 0 : listing->committed[pair - 1] + 1;
}

/* A few rows before and behind; behind a place where the paths part, each side by itself. */
static void print_around(const struct stage_listing *ours, const struct stage_listing *theirs, size_t pair,
                         size_t pairs, size_t context)
{
    size_t const start = pair > context ? pair - context : 0;
    size_t const end = pair + context + 1 < pairs ? pair + context + 1 : pairs;

    printf("%7s   %8s   %8s cl %8s %8s %8s %8s %8s %8s %8s  | reference\n", "seq", "pc", "code", "fetch", "decode",
           "rename", "dispatch", "issue", "complete", "retire");
    for (size_t i = start; i < end; i++) {
        print_between(ours, row_behind(ours, i), ours->committed[i], theirs, row_behind(theirs, i),
                      theirs->committed[i]);
        if (i == pair)
            printf("---- committed micro-op %zu\n", pair);
        print_pair(&ours->rows[ours->committed[i]], &theirs->rows[theirs->committed[i]]);
    }
    if (end < pairs || pair < pairs)
        return;
    size_t const our_row = row_behind(ours, end), their_row = row_behind(theirs, end);
    size_t const our_end = our_row + context < ours->count ? our_row + context : ours->count;
    size_t const their_end = their_row + context < theirs->count ? their_row + context : theirs->count;

    printf("---- committed micro-op %zu: the listings end or their paths part\n", end);
    print_between(ours, our_row, our_end, theirs, their_row, their_end);
}

/* ---- where they drift apart */
struct drift {
    uint64_t pc, encoding;
    int64_t sum;
    uint64_t amount, times;
};

/* What the pair adds to how far both are apart at a stage; 0 where one of them was not there. */
static int64_t drift_at(const struct stage_listing *ours, const struct stage_listing *theirs, size_t pair,
                        unsigned stage, int64_t *before)
{
    int64_t const apart = stages_apart(&ours->rows[ours->committed[pair]], &theirs->rows[theirs->committed[pair]],
                                       stage);
    int64_t const drift = apart == STAGE_NONE ? 0 : apart - *before;

    *before += drift;
    return drift;
}

static void print_places(const struct stage_listing *ours, const struct stage_listing *theirs, size_t pairs,
                         const struct options *options)
{
    int64_t apart = 0;
    size_t printed = 0;

    printf("micro-op  seq ours/theirs  pc  class  drift  then apart by  stages apart\n");
    for (size_t i = 0; i < pairs && printed < options->places; i++) {
        const struct stage_row *const one = &ours->rows[ours->committed[i]];
        const struct stage_row *const other = &theirs->rows[theirs->committed[i]];
        int64_t const drift = drift_at(ours, theirs, i, options->stage, &apart);

        if (drift == 0 || i < options->from)
            continue;
        printf("%zu  %" PRIu64 "/%" PRIu64 "  %" PRIx64 ".%u  %u  %+" PRId64 "  %+" PRId64 " ", i, one->seq,
               other->seq, one->pc, one->micro_op, one->op_class, drift, apart);
        print_apart(one, other);
        putchar('\n');
        printed++;
    }
}

static int by_pc(const void *one, const void *other)
{
    uint64_t const a = ((const struct drift *)one)->pc, b = ((const struct drift *)other)->pc;

    return (a > b) - (a < b);
}

static int by_amount(const void *one, const void *other)
{
    uint64_t const a = ((const struct drift *)one)->amount, b = ((const struct drift *)other)->amount;

    return (a < b) - (a > b);
}

static void print_by_pc(const struct stage_listing *ours, const struct stage_listing *theirs, size_t pairs,
                        const struct options *options)
{
    struct drift *const drifts = calloc(pairs + 1, sizeof *drifts);
    size_t count = 0, pcs = 0;
    int64_t apart = 0;

    for (size_t i = 0; drifts && i < pairs; i++) {
        const struct stage_row *const row = &theirs->rows[theirs->committed[i]];
        int64_t const drift = drift_at(ours, theirs, i, options->stage, &apart);

        if (drift != 0)
            drifts[count++] = (struct drift){row->pc, row->encoding, drift, (uint64_t)llabs(drift), 1};
    }
    if (count)
        qsort(drifts, count, sizeof *drifts, by_pc);
    for (size_t i = 0; i < count; i++) {
        if (pcs == 0 || drifts[pcs - 1].pc != drifts[i].pc) {
            drifts[pcs++] = drifts[i];
            continue;
        }
        drifts[pcs - 1].sum += drifts[i].sum;
        drifts[pcs - 1].amount += drifts[i].amount;
        drifts[pcs - 1].times++;
    }
    if (pcs)
        qsort(drifts, pcs, sizeof *drifts, by_amount);
    printf("pc  encoding  times  drift in all  of it kept\n");
    for (size_t i = 0; i < pcs && i < options->by_pc; i++)
        printf("%" PRIx64 "  %" PRIx64 "  %" PRIu64 "  %" PRIu64 "  %+" PRId64 "\n", drifts[i].pc, drifts[i].encoding,
               drifts[i].times, drifts[i].amount, drifts[i].sum);
    free(drifts);
}

/* ---- the whole */
static size_t first_from(const struct stage_listing *ours, const struct stage_listing *theirs,
                         const struct stage_comparison *comparison, size_t from)
{
    size_t i = from > comparison->first ? from : comparison->first;

    for (; i < comparison->pairs; i++) {
        for (unsigned k = 0; k < STAGE_COUNT; k++) {
            if (stages_apart(&ours->rows[ours->committed[i]], &theirs->rows[theirs->committed[i]], k) != 0)
                return i;
        }
    }
    return comparison->pairs;
}

static bool report(const struct stage_listing *ours, const struct stage_listing *theirs,
                   const struct options *options)
{
    struct stage_comparison comparison;

    stages_compare(ours, theirs, &comparison);
    printf("rows: ours %zu, %zu committed; reference %zu, %zu committed\n", ours->count, ours->committed_count,
           theirs->count, theirs->committed_count);
    printf("compared %zu, equal %zu; equal from the one before %zu (%.3f %%)\n", comparison.pairs, comparison.equal,
           comparison.equal_here,
           comparison.pairs ? 100 * (double)comparison.equal_here / (double)comparison.pairs : 0);
    for (unsigned k = 0; k < STAGE_COUNT; k++)
        printf("  %-8s equal %zu\n", stage_names[k], comparison.equal_of[k]);
    if (comparison.parts)
        printf("paths part at the committed micro-op %zu\n", comparison.pairs);
    printf("value\tstages_equal_pct\t%.3f\n", stages_equal_pct(&comparison));

    size_t const first = first_from(ours, theirs, &comparison, options->from);
    bool const is_equal = comparison.first == comparison.pairs && !comparison.parts;

    if (first < comparison.pairs || comparison.parts)
        print_around(ours, theirs, first, comparison.pairs, options->context);
    if (options->places)
        print_places(ours, theirs, comparison.pairs, options);
    if (options->by_pc)
        print_by_pc(ours, theirs, comparison.pairs, options);
    return is_equal;
}

static int usage(void)
{
    fputs("Usage: stages_compare [--context N] [--from N] [--places N] [--by-pc N] [--stage NAME] OURS REFERENCE\n",
          stderr);
    return 2;
}

static bool take_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--context") == 0)
        options->context = strtoul(value, NULL, 10);
    else if (strcmp(name, "--from") == 0)
        options->from = strtoul(value, NULL, 10);
    else if (strcmp(name, "--places") == 0)
        options->places = strtoul(value, NULL, 10);
    else if (strcmp(name, "--by-pc") == 0)
        options->by_pc = strtoul(value, NULL, 10);
    else if (strcmp(name, "--stage") == 0)
        for (options->stage = 0; options->stage < STAGE_COUNT && strcmp(value, stage_names[options->stage]) != 0;)
            options->stage++;
    else
        return false;
    return options->stage < STAGE_COUNT;
}

int main(int argc, char **argv)
{
    struct options options = {.context = 10, .stage = STAGE_RETIRE};
    struct stage_listing ours, theirs;
    int next = 1;

    for (; next + 1 < argc && strncmp(argv[next], "--", 2) == 0; next += 2) {
        if (!take_option(&options, argv[next], argv[next + 1]))
            return usage();
    }
    if (argc - next != 2)
        return usage();
    struct fault fault = stages_read(&ours, argv[next]);

    if (fault.kind == FAULT_NONE) {
        fault = stages_read(&theirs, argv[next + 1]);
        if (fault.kind != FAULT_NONE)
            stages_free(&ours);
    }
    if (fault.kind != FAULT_NONE) {
        fprintf(stderr, "stages_compare: %s\n", fault_text(fault));
        return 2;
    }
    bool const is_equal = report(&ours, &theirs, &options);

    stages_free(&ours);
    stages_free(&theirs);
    return is_equal ? 0 : 1;
}
