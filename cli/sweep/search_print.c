/* The output of `rubato search`: a line now and then on stderr; the front and the summary on stdout. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/common/table.h"
#include "cli/sweep/search_command.h"

struct front_rows {
    const struct judge *judge;
    const struct search *search;
    const struct plan *plan;
    const size_t *point_of;
    const size_t *order;                 /* told designs of the front, the first objective's best first */
    size_t count;
};

static void put_front(const void *context, struct table_writer *writer)
{
    struct front_rows const *const rows = context;
    struct plan const *const plan = rows->plan;

    for (size_t i = 0; i < rows->count; i++) {
        size_t const told = rows->order[i], number = rows->point_of[told];
        struct plan_point const *const point = &plan->points[number];
        struct search_answer const *const answer = search_answer_of(rows->search, told);

        table_count(writer, number + 1);
        for (size_t m = 0; m < rows->judge->request->objective_count; m++)
            table_real(writer, judge_shown(rows->judge, m, answer->objectives[m]));
        if (plan->spec->system_count > 1)
            table_word(writer, plan->spec->system_names[point->system]);
        for (size_t axis = 0; axis < plan->spec->axis_count; axis++)
            table_word(writer, plan_value(plan, point, axis));
        table_end_row(writer);
    }
}

static bool order_front(struct front_rows *rows, const bool *is_front, size_t *order)
{
    for (size_t i = 0; i < search_told(rows->search); i++) {
        size_t k = rows->count;

        if (!is_front[i])
            continue;
        for (; k > 0 && search_answer_of(rows->search, i)->objectives[0]
                            < search_answer_of(rows->search, order[k - 1])->objectives[0]; k--)
            order[k] = order[k - 1];
        order[k] = i;
        rows->count++;
    }
    return rows->count > 0;
}

static bool print_rows(const struct front_rows *rows)
{
    struct spec const *const spec = rows->plan->spec;
    size_t const objectives = rows->judge->request->objective_count, most = objectives + spec->axis_count + 2;
    struct table_column *const columns = calloc(most, sizeof *columns);
    size_t count = 0;
    bool is_printed;

    if (!columns)
        return false;
    columns[count++] = (struct table_column){.heading = "point", .width = TABLE_FIT};
    for (size_t m = 0; m < objectives; m++)
        columns[count++] = (struct table_column){.heading = rows->judge->objectives[m].name, .width = TABLE_FIT,
                                                 .text_digits = -6};
    if (spec->system_count > 1)
        columns[count++] = (struct table_column){.heading = "system", .width = TABLE_FIT};
    for (size_t axis = 0; axis < spec->axis_count; axis++)
        columns[count++] = (struct table_column){.heading = spec->axes[axis].key, .width = TABLE_FIT};

    struct table const table = {.columns = columns, .count = count, .rows = put_front, .context = rows, .gap = "  "};

    is_printed = table_print(stdout, TABLE_TEXT, &table);
    free(columns);
    return is_printed;
}

bool search_print_front(const struct judge *judge, const struct search *search, const struct plan *plan,
                        const size_t *point_of)
{
    bool *const is_front = malloc((search_told(search) + 1) * sizeof *is_front);
    size_t *const order = malloc((search_told(search) + 1) * sizeof *order);
    struct front_rows rows = {.judge = judge, .search = search, .plan = plan, .point_of = point_of, .order = order};
    size_t count;
    bool is_printed = is_front && order && search_front(search, is_front, &count);

    if (is_printed && order_front(&rows, is_front, order))
        is_printed = print_rows(&rows);
    free(is_front);
    free(order);
    return is_printed;
}

void search_print_summary(const struct search_tally *tally, const struct search_request *request, const char *file)
{
    printf("designs       %zu of %.0f combinations", tally->designs, tally->combinations);
    if (tally->stopped)
        printf(", and %zu stopped after %zu records, dominated for sure", tally->stopped,
               (size_t)request->short_records);
    printf("\nfront         %zu, of %zu that fulfil all conditions\n", tally->front, tally->feasible);
    if (tally->failed)
        printf("failed        %zu\n", tally->failed);
    printf("run           %zu points\n", tally->runs);
    printf("swept in      %.2f s with %zu worker%s\n", tally->elapsed_s, request->sweep.workers,
           request->sweep.workers == 1 ? "" : "s");
    printf("results       %s\n", cli_shown(file));
}
