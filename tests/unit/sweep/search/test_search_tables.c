/* sweep/search/search.h on full factorials that are kept: 5 % of the designs have to reach 99 % of the front's
 * hypervolume in the median of the seeds, and more than designs drawn by chance. SEARCH_SEEDS=20 takes as many as
 * docs/search.md says, where three are enough to find out what broke, and prints each table's figures. */
#include "tests/support/search_table.h"
#include "tests/support/unit.h"

enum { FEW_SEEDS = 3, MOST_SEEDS = 100, SHARE = 20, LEAST_BATCH = 4, MOST_BATCH = 32 };
#define ENOUGH 0.99

static int by_share(const void *one, const void *other)
{
    double const a = *(const double *)one, b = *(const double *)other;

    return a < b ? -1 : a > b;
}

static double median_of(double *shares, size_t count)
{
    qsort(shares, count, sizeof *shares, by_share);
    return (shares[count / 2] + shares[(count - 1) / 2]) / 2;
}

static size_t seeds_wanted(void)
{
    char const *const text = getenv("SEARCH_SEEDS");
    long const count = text ? strtol(text, NULL, 10) : FEW_SEEDS;

    return count < 1 ? 1 : count > MOST_SEEDS ? MOST_SEEDS : (size_t)count;
}

/* As `rubato search` takes it by itself. */
static size_t batch_of(size_t budget)
{
    size_t const batch = budget / 20;

    return batch < LEAST_BATCH ? LEAST_BATCH : batch > MOST_BATCH ? MOST_BATCH : batch;
}

static void search_table(const char *name)
{
    size_t const seeds = seeds_wanted();
    double found[MOST_SEEDS], drawn[MOST_SEEDS], median, random;
    struct table table;
    size_t budget;
    char path[128];

    snprintf(path, sizeof path, "tests/search/%s.tsv.gz", name);
    assert_true(table_read(&table, path));
    budget = table.count / SHARE;
    for (size_t i = 0; i < seeds; i++) {
        found[i] = table_search(&table, i + 1, budget, batch_of(budget), false);
        drawn[i] = table_search(&table, i + 1, budget, batch_of(budget), true);
    }
    median = median_of(found, seeds);
    random = median_of(drawn, seeds);
    if (seeds > FEW_SEEDS)
        printf("%s: %zu designs, %zu objectives, budget %zu, %zu seeds: median %.4f, least %.4f; at random %.4f\n",
               name, table.count, table.objectives, budget, seeds, median, found[0], random);
    if (!(median >= ENOUGH && median > random))
        fail_msg("%s: %.4f of the hypervolume, %.4f at random", name, median, random);
    table_free(&table);
}

static void random_updates(void **state)
{
    search_table("window");
}

static void chase_with_area(void **state)
{
    search_table("caches");
}

static void two_programs_with_prefetchers(void **state)
{
    search_table("prefetch");
}

static void three_objectives(void **state)
{
    search_table("three");
}

static void many_designs(void **state)
{
    search_table("large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_updates),
        cmocka_unit_test(chase_with_area),
        cmocka_unit_test(two_programs_with_prefetchers),
        cmocka_unit_test(three_objectives),
        cmocka_unit_test(many_designs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
