/* One measurement in detail (replay/traffic/traffic_detail.h) as tables: what became of the accesses, latencies by
 * kind, banks, bandwidth over time. */
#ifndef CLI_TRAFFIC_TRAFFIC_DETAIL_PRINT_H
#define CLI_TRAFFIC_TRAFFIC_DETAIL_PRINT_H

#include "cli/common/table.h"
#include "replay/traffic/traffic.h"

/* name of the table, for --by and JSON; its help */
#define TRAFFIC_TABLES(T)                                                                                             \
    T(KIND, "kind", "latencies of requests, and of accesses by the state of their row")                               \
    T(BANK, "bank", "accesses, rows and latencies of each bank")                                                      \
    T(TIME, "time", "bandwidth and latencies of reads over time")

#define TRAFFIC_TABLE_ENUM(kind, name, help) TRAFFIC_BY_##kind,
enum traffic_table { TRAFFIC_BY_POINT, TRAFFIC_TABLES(TRAFFIC_TABLE_ENUM) TRAFFIC_TABLE_COUNT };

struct traffic_measured {
    const struct traffic_detail *detail;
    const struct traffic_result *result;
    uint64_t line_bytes;
};

/* False: out of memory. */
bool traffic_print_table(FILE *to, enum table_form form, enum traffic_table which,
                         const struct traffic_measured *measured);
/* Text: requests and accesses, and a sentence about those that did not reach the DRAM. */
bool traffic_print_fates(FILE *to, const struct traffic_measured *measured);
/* All tables as members of the open object. */
void traffic_put_details(struct json *json, const struct traffic_measured *measured);

#endif
