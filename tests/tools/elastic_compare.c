/* Compares two elastic traces of one run, record by record (tests/support/elastic_compare.h).
 *
 *     elastic_compare [--differences N] OURS REFERENCE
 *
 * OURS, REFERENCE: folders with deptrace.proto.gz and fetchtrace.proto.gz. Prints a line `value NAME NUMBER` for each
 * figure; shares are percent of the records of the longer trace. With --differences the first N differences before.
 * Exit code: 0 records, weights and delays all equal, 1 some differ, 2 a trace cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/elastic_compare.h"

struct shown {
    uint64_t left;
};

static void print_place(size_t at)
{
    if (at == SIZE_MAX)
        printf(" %9s", "-");
    else
        printf(" %9zu", at);
}

static void print_difference(void *context, const struct elastic_difference *difference)
{
    struct shown *const shown = context;

    if (shown->left == 0)
        return;
    shown->left--;
    print_place(difference->at[ELASTIC_OURS]);
    print_place(difference->at[ELASTIC_REFERENCE]);
    printf("  pc %" PRIx64, difference->pc);
    if (difference->at[ELASTIC_OURS] == SIZE_MAX)
        printf(" missing");
    else if (difference->at[ELASTIC_REFERENCE] == SIZE_MAX)
        printf(" surplus");
    for (int i = 0; i < ELASTIC_TRAIT_COUNT; i++)
        if (difference->traits >> i & 1 && i != ELASTIC_WHOLE)
            printf(" %s", elastic_trait_names[i]);
    if (difference->traits >> ELASTIC_DELAY & 1)
        printf(" %" PRIu64 " for %" PRIu64, difference->delay[ELASTIC_OURS], difference->delay[ELASTIC_REFERENCE]);
    putchar('\n');
}

static double percent(size_t part, size_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 100;
}

static void print(const struct elastic_compared *compared)
{
    size_t const records = elastic_compared_most(compared->records), fetches = elastic_compared_most(compared->fetches);

    printf("value records_ours %zu\nvalue records_reference %zu\nvalue records_paired %zu\nvalue parts %zu\n",
           compared->records[ELASTIC_OURS], compared->records[ELASTIC_REFERENCE], compared->record_pairs,
           compared->parts);
    for (int i = 0; i < ELASTIC_TRAIT_COUNT; i++)
        printf("value %s_equal_pct %.4f\n", elastic_trait_names[i], percent(compared->equal[i], records));
    printf("value fetches_ours %zu\nvalue fetches_reference %zu\nvalue fetches_equal_pct %.4f\n"
           "value fetch_steps_equal_pct %.4f\n", compared->fetches[ELASTIC_OURS],
           compared->fetches[ELASTIC_REFERENCE], percent(compared->equal_fetches, fetches),
           percent(compared->equal_steps, fetches));
}

int main(int argc, char **argv)
{
    struct elastic_compared compared;
    struct shown shown = {0};
    struct fault fault;

    if (argc >= 4 && strcmp(argv[1], "--differences") == 0) {
        shown.left = strtoull(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    if (argc != 3) {
        fputs("usage: elastic_compare [--differences N] OURS REFERENCE\n", stderr);
        return 2;
    }
    fault = elastic_compare(argv[1], argv[2], &compared, print_difference, &shown);
    if (fault.kind != FAULT_NONE) {
        fprintf(stderr, "%s\n", fault_text(fault));
        return 2;
    }
    print(&compared);
    return compared.equal[ELASTIC_WHOLE] != elastic_compared_most(compared.records)
        || compared.equal[ELASTIC_WEIGHT] != compared.record_pairs
        || compared.equal[ELASTIC_DELAY] != compared.record_pairs;
}
