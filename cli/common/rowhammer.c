#include "cli/common/rowhammer.h"

#include <inttypes.h>
#include <math.h>

#include "cli/common/table.h"

static struct table_column const columns[] = {
    TEXT_COLUMN("RowHammer", -11), TEXT_COLUMN("most of row", 12), TEXT_COLUMN("unserved", 12),
    TEXT_COLUMN("rows at limit", 13), TEXT_COLUMN("may flip", 10), TEXT_COLUMN("prevented", 10),
    TEXT_COLUMN("refreshes", 10), TEXT_COLUMN("activates", 10), TEXT_COLUMN("waits ms", 10, .text_digits = -4),
    TEXT_COLUMN("energy mJ", 10, .text_digits = -4)
};

static void put_row(const void *context, struct table_writer *writer)
{
    const struct cmd_rowhammer *const figures = context;

    table_word(writer, "all rows");
    table_count(writer, figures->most);
    table_count(writer, figures->most_unserved);
    table_count(writer, figures->hot);
    table_count(writer, figures->flips);
    table_count(writer, cmd_rowhammer_prevented(figures));
    table_count(writer, figures->refreshes);
    table_count(writer, figures->activates);
    table_real(writer, 1e-9 * figures->waits_ps);
    table_real(writer, figures->has_unknown_energy ? (double)NAN : 1e-9 * figures->defences_pj);
    table_end_row(writer);
}

static void print_histogram(FILE *to, const struct cmd_rowhammer *figures)
{
    const char *comma = "";

    fprintf(to, "  rows by activations: ");
    for (unsigned i = 0; i < CMD_HAMMER_BINS; i++) {
        if (figures->histogram[i] == 0)
            continue;
        fprintf(to, "%s%" PRIu64, comma, UINT64_C(1) << i);
        if (i + 1 == CMD_HAMMER_BINS)
            fprintf(to, " or more");
        else if (i > 0)
            fprintf(to, "-%" PRIu64, (UINT64_C(2) << i) - 1);
        fprintf(to, ": %" PRIu64, figures->histogram[i]);
        comma = ", ";
    }
    fprintf(to, "%s\n", *comma ? "" : "none");
}

void rowhammer_print(FILE *to, const struct cmd_rowhammer *figures)
{
    struct table const table = TABLE_OF(columns, put_row, figures);

    if (figures->threshold == 0)
        return;
    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
    fprintf(to, "  limit %" PRIu64 " in %.4g ms", figures->threshold, 1e-9 * (double)figures->window_ps);
    if (!figures->has_unknown_energy && figures->all_pj > 0)
        fprintf(to, "; defences: %.2g %% of the energy", 100 * figures->defences_pj / figures->all_pj);
    fprintf(to, "\n");
    print_histogram(to, figures);
}

void rowhammer_put(struct json *json, const struct cmd_rowhammer *figures)
{
    char name[32];

    if (figures->threshold == 0)
        return;
    json_put_object(json, "rowhammer", JSON_LINES(2, 1));
    json_put_number(json, "threshold", figures->threshold);
    json_put_real(json, "window_ms", 1e-9 * (double)figures->window_ps, 10);
    json_put_number(json, "most", figures->most);
    json_put_number(json, "unserved", figures->most_unserved);
    json_put_number(json, "hot", figures->hot);
    json_put_number(json, "flips", figures->flips);
    json_put_number(json, "prevented", cmd_rowhammer_prevented(figures));
    json_put_number(json, "refreshes", figures->refreshes);
    json_put_number(json, "activates", figures->activates);
    json_put_real(json, "waits_ms", 1e-9 * figures->waits_ps, 10);
    if (!figures->has_unknown_energy)
        json_put_real(json, "energy_mj", 1e-9 * figures->defences_pj, 10);
    json_put_object(json, "rows_by_activations", JSON_LINES(3, 2));
    for (unsigned i = 0; i < CMD_HAMMER_BINS; i++) {
        snprintf(name, sizeof name, "%" PRIu64, UINT64_C(1) << i);
        if (figures->histogram[i] > 0)
            json_put_number(json, name, figures->histogram[i]);
    }
    json_end(json);
    json_end(json);
}
