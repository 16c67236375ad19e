/* rubato trace info of elastic traces: one pass over a trace file, then a page about it. Footprints and reuse distances
 * know the distinct lines, so memory grows with them; nothing else grows. A folder of threads gets a page for each. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/number_map.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/number_set.h"
#include "cli/common/shown.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/sheet.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"
#include "proto/elastic/capture_clock.h"
#include "proto/elastic/trace_writer.h"
#include "proto/store/store.h"
#include "proto/trace_formats.h"
#include "replay/window/window_learnt.h"

#define BAR_WIDTH 40
#define BUCKETS 65                   /* 0, then [2^(i-1), 2^i) */
#define COUNTS 6                     /* 0 to 4, more */

/* elastic-trace 1.6: bit, name */
#define FLAG_BITS(F)                                                                                                  \
    F(0x00000100, "instruction fetch") F(0x00000400, "uncacheable") F(0x00000800, "strictly ordered")                 \
    F(0x00010000, "zeroes a line") F(0x00100000, "locked read-modify-write") F(0x00200000, "LL/SC")                   \
    F(0x00400000, "swap") F(0x00800000, "conditional swap") F(0x01000000, "prefetch")                                 \
    F(0x02000000, "prefetch exclusive") F(0x10000000, "secure") F(0x40000000, "atomic with result")                   \
    F(0x80000000, "atomic without result")

struct flag_bit {
    uint32_t bit;
    const char *name;
};

#define FLAG_ENTRY(bit, name) {bit, name},
static const struct flag_bit flag_bits[] = { FLAG_BITS(FLAG_ENTRY) };
#define FLAG_COUNT (sizeof flag_bits / sizeof flag_bits[0])

struct range {
    uint64_t lowest, highest;
};

struct dep_info {
    uint64_t line_bytes, records, by_type[4], weight;
    uint64_t with_v_addr, without_address;
    struct range seq_num;
    struct footprint loads, stores, data;
    struct reuse reuse;
    struct number_map code_lines;
    uint64_t rob_counts[COUNTS], reg_counts[COUNTS];
    uint64_t distances[BUCKETS], delays[BUCKETS];
    uint64_t flags[FLAG_COUNT];
    uint64_t duration_ticks;
};

struct packet_info {
    uint64_t line_bytes, records, reads, writes;
    struct footprint data;
    struct reuse reuse;
    struct range tick, size;
    uint64_t gaps[BUCKETS];
    uint64_t flags[FLAG_COUNT];
};

/* Figures of the files shown: one of them, or both. */
struct infos {
    struct sheet sheet;
    struct dep_info dep;
    struct packet_info packets;
};

static unsigned elastic_info_bucket_of(uint64_t value)
{
    unsigned bucket = 0;

    for (; value != 0; value >>= 1)
        bucket++;
    return bucket;
}

static void widen(struct range *range, uint64_t value, bool first)
{
    range->lowest = first || value < range->lowest ? value : range->lowest;
    range->highest = first || value > range->highest ? value : range->highest;
}

static void count_flags(uint64_t *counts, uint32_t flags)
{
    for (size_t i = 0; flags != 0 && i < FLAG_COUNT; i++)
        counts[i] += (flags & flag_bits[i].bit) != 0;
}

static void count_distances(uint64_t *distances, uint64_t seq_num, const uint64_t *deps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        distances[elastic_info_bucket_of(seq_num - deps[i])]++;
}

static void count_dep_record(struct dep_info *info, const struct dep_record *record)
{
    widen(&info->seq_num, record->seq_num, info->records == 0);
    info->records++;
    info->by_type[record->type]++;
    info->weight += record->weight;
    info->rob_counts[record->rob_dep_count < COUNTS ? record->rob_dep_count : COUNTS - 1]++;
    info->reg_counts[record->reg_dep_count < COUNTS ? record->reg_dep_count : COUNTS - 1]++;
    count_distances(info->distances, record->seq_num, record->rob_dep, record->rob_dep_count);
    count_distances(info->distances, record->seq_num, record->reg_dep, record->reg_dep_count);
    info->delays[elastic_info_bucket_of(record->comp_delay)]++;
    count_flags(info->flags, record->flags);
    info->with_v_addr += (record->present & DEP_HAS_V_ADDR) != 0;
    if (record->present & DEP_HAS_PC)
        number_map_add(&info->code_lines, record->pc / info->line_bytes);
    if (record->type != DEP_LOAD && record->type != DEP_STORE)
        return;
    info->without_address += (record->present & DEP_HAS_P_ADDR) == 0;
    footprint_touch(record->type == DEP_LOAD ? &info->loads : &info->stores, record->p_addr, record->size_bytes,
          info->line_bytes);
    footprint_touch(&info->data, record->p_addr, record->size_bytes, info->line_bytes);
    reuse_touch_bytes(&info->reuse, record->p_addr, record->size_bytes, info->line_bytes);
}

/* --- printing ----------------------------------------------------------------------------------------------------- */

static void print_time(struct sheet *sheet, uint64_t ticks, uint64_t tick_freq)
{
    static const struct { double unit_s; const char *name; } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9,
                                                                                                               "ns"}};
    double const seconds = (double)ticks / (double)tick_freq;
    size_t i = 0;

    while (i < 3 && seconds < units[i].unit_s)
        i++;
    sheet_text(sheet, "%.6g %s", seconds / units[i].unit_s, units[i].name);
    sheet_numbers(sheet, "{+duration_ticks}", ticks);
}

static void print_header(struct sheet *sheet, const char *path, const char *kind, const char *obj_id, bool has_ver,
                         uint32_t ver, uint64_t tick_freq)
{
    sheet_strings(sheet, "{path}\n  kind          {kind}\n  obj_id        {obj_id}\n", path, kind, obj_id);
    if (has_ver)
        sheet_numbers(sheet, "  ver           {ver}\n", ver);
    sheet_numbers(sheet, "  tick_freq     {tick_freq} ticks a second\n", tick_freq);
}

static void print_bar(struct sheet *sheet, uint64_t count, uint64_t largest)
{
    int const width = largest > 0 ? (int)((BAR_WIDTH * (double)count + (double)largest - 1) / (double)largest) : 0;

    sheet_text(sheet, "  %.*s\n", width < BAR_WIDTH ? width : BAR_WIDTH, "########################################");
}

static void print_row(struct sheet *sheet, const char *name, uint64_t count, uint64_t sum)
{
    sheet_text(sheet, "  %-22s %10" PRIu64 " %5.1f %%", name, count, percent(count, sum));
    if (!sheet->to)
        json_put_number(&sheet->json, name, count);
}

static uint64_t max_of(const uint64_t *counts, size_t count)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    return largest;
}

static uint64_t sum_of(const uint64_t *counts, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

/* Rows "0", "1", "2-3", "4-7" ..., without the empty ones; also as times if tick_freq is not 0. */
static void print_powers(struct sheet *sheet, const char *key, const char *title, const uint64_t *buckets,
                         uint64_t tick_freq)
{
    uint64_t const largest = max_of(buckets, BUCKETS), sum = sum_of(buckets, BUCKETS);

    if (sum == 0)
        return;
    sheet_object(sheet, key);
    sheet_text(sheet, "\n%s\n", title);
    for (unsigned i = 0; i < BUCKETS; i++) {
        uint64_t const low = i == 0 ? 0 : UINT64_C(1) << (i - 1);
        char text[48];

        if (buckets[i] == 0)
            continue;
        if (i < 2)
            snprintf(text, sizeof text, "%" PRIu64, low);
        else if (i < 33)
            snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, low, 2 * low - 1);
        else
            snprintf(text, sizeof text, "2^%u-2^%u", i - 1, i);
        print_row(sheet, text, buckets[i], sum);
        if (tick_freq != 0)
            sheet_text(sheet, "  < %9.4g ns", 1e9 * (i == 0 ? 1 : 2 * (double)low) / (double)tick_freq);
        print_bar(sheet, buckets[i], largest);
    }
    sheet_close(sheet);
}

static void print_counts(struct sheet *sheet, const char *key, const char *title, const uint64_t *counts)
{
    uint64_t const largest = max_of(counts, COUNTS), sum = sum_of(counts, COUNTS);

    sheet_object(sheet, key);
    sheet_text(sheet, "\n%s\n", title);
    for (unsigned i = 0; i < COUNTS; i++) {
        char text[24];

        snprintf(text, sizeof text, i + 1 == COUNTS ? "%u or more" : "%u", i);
        if (counts[i] == 0)
            continue;
        print_row(sheet, text, counts[i], sum);
        print_bar(sheet, counts[i], largest);
    }
    sheet_close(sheet);
}

static void print_flags(struct sheet *sheet, const uint64_t *counts)
{
    const char *separator = "  flags         ";

    sheet_object(sheet, "flags");
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (counts[i] == 0)
            continue;
        sheet_text(sheet, "%s%s %" PRIu64, separator, flag_bits[i].name, counts[i]);
        if (!sheet->to)
            json_put_number(&sheet->json, flag_bits[i].name, counts[i]);
        separator = ", ";
    }
    sheet_text(sheet, separator[0] == ',' ? "\n" : "%s", "");
    sheet_close(sheet);
}

static struct reuse_curve dep_curve(const struct dep_info *info)
{
    return (struct reuse_curve){.name = "loads and stores", .reuse = &info->reuse, .line_bytes = info->line_bytes};
}

static struct reuse_curve packet_curve(const struct packet_info *info)
{
    return (struct reuse_curve){.name = "fetches", .reuse = &info->reuse, .line_bytes = info->line_bytes};
}

static void print_dep_info(struct sheet *sheet, const struct dep_header *header, const struct dep_info *info)
{
    struct reuse_curve const curve = dep_curve(info);

    sheet_numbers(sheet, "  records       {records} (seq_num {first_seq_num} to {last_seq_num}), {micro_ops} micro-ops "
                  "with those left out\n", info->records, info->seq_num.lowest, info->seq_num.highest,
                  info->records + info->weight);
    sheet_object(sheet, "types");
    for (unsigned type = 0; type < 4; type++)
        if (info->by_type[type] > 0)
            sheet_share(sheet, (struct sheet_share){4, 12, 10}, dep_type_name(type), info->by_type[type],
                        info->records);
    sheet_close(sheet);
    if (info->without_address > 0)
        sheet_numbers(sheet, "    {without_p_addr} loads and stores have no p_addr; they count as address 0\n",
                      info->without_address);
    if (info->with_v_addr > 0)
        sheet_numbers(sheet, "    {with_v_addr} records have a virtual address\n", info->with_v_addr);
    print_flags(sheet, info->flags);
    sheet_text(sheet, "  duration      about ");
    print_time(sheet, info->duration_ticks, header->tick_freq);
    sheet_text(sheet, " in the capture\n\nFootprint\n");
    sheet_object(sheet, "footprint");
    sheet_footprint(sheet, "loads", &info->loads, info->line_bytes);
    sheet_footprint(sheet, "stores", &info->stores, info->line_bytes);
    sheet_footprint(sheet, "both", &info->data, info->line_bytes);
    sheet_numbers(sheet, "  code         {code_lines:9} lines of {:} bytes\n", info->code_lines.count,
                  info->line_bytes);
    sheet_close(sheet);
    reuse_sheet(sheet, &curve);
    print_counts(sheet, "order_dependences", "Order dependences a record", info->rob_counts);
    print_counts(sheet, "register_dependences", "Register dependences a record", info->reg_counts);
    print_powers(sheet, "dependence_distances", "Distance of dependences, in sequence numbers", info->distances, 0);
    print_powers(sheet, "delays_ticks", "Delay behind the last dependence, in ticks", info->delays, header->tick_freq);
}

static void print_packet_info(struct sheet *sheet, const struct packet_header *header, const struct packet_info *info)
{
    struct reuse_curve const curve = packet_curve(info);

    sheet_array(sheet, "id_strings");
    for (size_t i = 0; i < header->id_string_count; i++) {
        sheet_object(sheet, NULL);
        sheet_numbers(sheet, "  id_string     {key} ", header->id_strings[i].key);
        sheet_strings(sheet, "{value}\n", header->id_strings[i].value);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    sheet_numbers(sheet, "\n  records       {records}: {reads} reads, {writes} writes, {:} others\n", info->records,
                  info->reads, info->writes, info->records - info->reads - info->writes);
    print_flags(sheet, info->flags);
    if (info->records == 0)
        return;
    sheet_numbers(sheet, "  size          {smallest_bytes} to {largest_bytes} bytes\n", info->size.lowest,
                  info->size.highest);
    sheet_text(sheet, "  duration      ");
    print_time(sheet, info->tick.highest - info->tick.lowest, header->tick_freq);
    sheet_numbers(sheet, ", tick {first_tick} to {last_tick}\n\nFootprint\n", info->tick.lowest, info->tick.highest);
    sheet_object(sheet, "footprint");
    sheet_footprint(sheet, "all", &info->data, info->line_bytes);
    sheet_close(sheet);
    reuse_sheet(sheet, &curve);
    print_powers(sheet, "gaps_ticks", "Time between requests, in ticks", info->gaps, header->tick_freq);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool can_reread(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* As a detailed core would execute it (replay --model window). From the beginning again, so not of a pipe. */
static int show_rebuilt(struct sheet *sheet, const char *path, struct store *store)
{
    struct window_setup setup = {.text_offset = 0};
    struct reader_records records[2] = {{0}, {0}};
    struct record_source *const sources[2] = {&setup.learnt_from, &setup.records};
    struct dep_reader *readers[2] = {NULL, NULL};
    struct store_records *cursors[2] = {NULL, NULL};
    struct window_counts counts;
    struct fault fault = fault_none();

    if (store)
        fault = window_kept_find(store, &setup);
    for (int i = setup.learnt ? 1 : 0; i < 2 && fault.kind == FAULT_NONE; i++) {
        if (store && (cursors[i] = store_records_open(store, 0, &fault)) != NULL)
            *sources[i] = record_source_without_runs(cursors[i], store, path);
        else if (!store && (readers[i] = dep_reader_open(path, &fault)) != NULL)
            *sources[i] = record_source_of_reader(&records[i], readers[i], path);
    }
    if (fault.kind == FAULT_NONE)
        fault = window_count(&setup, &counts);
    if (fault.kind == FAULT_NONE) {
        sheet_text(sheet, "\nOn a detailed core (replay --model window)\n");
        if (sheet->to)
            window_counts_print(sheet->to, &counts, "  ");
        else
            window_counts_put(&sheet->json, "rebuilt", &counts);
    }
    for (int i = 0; i < 2; i++) {
        reader_records_free(&records[i]);
        dep_reader_close(readers[i]);
        store_records_close(cursors[i]);
    }
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail_proto(&fault);
}

/* Records come from a file or from a store's cursor. */
static enum dep_result next_record(struct dep_reader *reader, struct store_records *cursor, struct dep_record *record,
                                   struct fault *error)
{
    return cursor ? store_records_read(cursor, record, error) : dep_reader_next(reader, record, error);
}

static struct fault count_records(struct dep_info *info, const struct dep_header *header, struct dep_reader *reader,
                                  struct store_records *cursor)
{
    struct fault fault = fault_none();
    struct capture_clock clock;
    struct dep_record record;
    enum dep_result step;

    if (!capture_clock_init(&clock, header))
        return fault_memory("trace info", NULL);
    while ((step = next_record(reader, cursor, &record, &fault)) == DEP_RECORD) {
        count_dep_record(info, &record);
        capture_clock_execute(&clock, &record);
    }
    info->duration_ticks = clock.latest;
    capture_clock_free(&clock);
    return step == DEP_END ? fault_none() : fault;
}

static void count_packet(struct packet_info *info, const struct packet_record *record)
{
    bool const first = info->records == 0;

    if (!first)
        info->gaps[elastic_info_bucket_of(record->tick - info->tick.highest)]++;
    widen(&info->tick, record->tick, first);
    widen(&info->size, record->size_bytes, first);
    info->records++;
    info->reads += record->cmd == 1;
    info->writes += record->cmd == 4;
    count_flags(info->flags, record->flags);
    footprint_touch(&info->data, record->addr, record->size_bytes, info->line_bytes);
    reuse_touch_bytes(&info->reuse, record->addr, record->size_bytes, info->line_bytes);
}

static struct fault count_packets(struct packet_info *info, struct packet_reader *reader, struct store_fetches *cursor)
{
    struct fault fault = fault_none();
    struct packet_record record;
    enum packet_result step;

    while ((step = cursor ? store_fetches_read(cursor, &record, &fault) : packet_reader_next(reader, &record,
                                                                                             &fault)) == PACKET_RECORD)
        count_packet(info, &record);
    return step == PACKET_END ? fault_none() : fault;
}

static void begin_infos(struct infos *infos, uint64_t line_bytes)
{
    infos->dep.line_bytes = infos->packets.line_bytes = line_bytes;
    reuse_begin(&infos->dep.reuse, REUSE_USUAL_LINES);
    reuse_begin(&infos->packets.reuse, REUSE_USUAL_LINES);
}

/* Draws the counts, and frees them. */
static int end_infos(struct infos *infos, const char *svg, const char *path, int code)
{
    struct reuse_curve const curves[] = {dep_curve(&infos->dep), packet_curve(&infos->packets)};

    if (code == CLI_OK)
        code = reuse_plot(svg, path, curves, sizeof curves / sizeof curves[0]);
    footprint_free(&infos->dep.loads);
    footprint_free(&infos->dep.stores);
    footprint_free(&infos->dep.data);
    number_map_free(&infos->dep.code_lines);
    reuse_free(&infos->dep.reuse);
    footprint_free(&infos->packets.data);
    reuse_free(&infos->packets.reuse);
    return code;
}

static int show_dep(struct infos *infos, const char *path)
{
    struct dep_info *const info = &infos->dep;
    struct fault error;
    struct dep_reader *const reader = dep_reader_open(path, &error);
    bool good;

    if (reader == NULL)
        return cli_fail_proto(&error);

    const struct dep_header *const header = dep_reader_header(reader);

    trace_warn(dep_reader_input(reader));
    good = WORKS(error, count_records(info, header, reader, NULL));
    if (good) {
        print_header(&infos->sheet, path, "dependency trace", header->obj_id, header->has_ver, header->ver,
                     header->tick_freq);
        sheet_numbers(&infos->sheet, "  window_size   {window_size} records\n\n", header->window_size);
        print_dep_info(&infos->sheet, header, info);
    }
    dep_reader_close(reader);
    if (!good)
        return cli_fail_proto(&error);
    return can_reread(path) ? show_rebuilt(&infos->sheet, path, NULL) : CLI_OK;
}

static int show_packets(struct infos *infos, const char *path)
{
    struct packet_info *const info = &infos->packets;
    struct fault error;
    struct packet_reader *const reader = packet_reader_open(path, &error);
    bool good;

    if (reader == NULL)
        return cli_fail_proto(&error);

    const struct packet_header *const header = packet_reader_header(reader);

    trace_warn(packet_reader_input(reader));
    good = WORKS(error, count_packets(info, reader, NULL));
    if (good) {
        print_header(&infos->sheet, path, "packet trace", header->obj_id, header->has_ver, header->ver,
                     header->tick_freq);
        print_packet_info(&infos->sheet, header, info);
    }
    packet_reader_close(reader);
    return good ? CLI_OK : cli_fail_proto(&error);
}

/* Tables learnt by --model window. Damaged ones are not reported here, but when a run uses them. */
static void print_learnt(struct sheet *sheet, const struct store *store)
{
    struct window_setup setup = {.learnt = NULL};

    if (window_kept_find(store, &setup).kind == FAULT_NONE && setup.learnt)
        sheet_numbers(sheet, "  learnt        {learnt_bytes} bytes that --model window learnt of the records\n",
                      setup.learnt_bytes);
}

static int show_pair(struct infos *infos, const char *folder)
{
    struct trace_paths paths;
    struct fault error;
    int code;

    if (FAILS(error, trace_dir_find(folder, &paths)))
        return cli_fail_proto(&error);
    sheet_object(&infos->sheet, "data");
    code = show_dep(infos, paths.dep);
    sheet_close(&infos->sheet);
    if (code != CLI_OK)
        return code;
    sheet_text(&infos->sheet, "\n");
    sheet_object(&infos->sheet, "fetches");
    code = show_packets(infos, paths.fetch);
    sheet_close(&infos->sheet);
    return code;
}

static void print_store(struct sheet *sheet, const char *path, const struct store_about *about)
{
    static const char *const parts[STORE_PARTS] = {[STORE_DEP] = "records", [STORE_FETCH] = "fetches"};

    print_header(sheet, path, "trace store", about->dep.obj_id, about->dep.has_ver, about->dep.ver,
                 about->dep.tick_freq);
    sheet_numbers(sheet, "  window_size   {window_size}\n  size          ", about->dep.window_size);
    sheet_bytes(sheet, "size_bytes", about->file_bytes);
    sheet_text(sheet, "\n");
    sheet_object(sheet, "made_of");
    for (int part = 0; part < STORE_PARTS; part++) {
        sheet_object(sheet, parts[part]);
        sheet_text(sheet, "  %s       ", parts[part]);
        sheet_numbers(sheet, "{count} in {blocks} blocks, of ", about->count[part], about->blocks[part]);
        sheet_strings(sheet, "{path}", about->source[part].path);
        sheet_numbers(sheet, " ({bytes} bytes, hash {hash:h})\n", about->source[part].size_bytes,
                      about->source[part].hash);
        sheet_close(sheet);
    }
    sheet_close(sheet);
}

static int show_store(struct infos *infos, const char *path)
{
    struct sheet *const sheet = &infos->sheet;
    struct fault error;
    struct store *const store = store_open(path, &error);
    struct store_records *records = store ? store_records_open(store, 0, &error) : NULL;
    struct store_fetches *fetches = records ? store_fetches_open(store, 0, &error) : NULL;
    bool good = fetches && WORKS(error, count_records(&infos->dep, &store_about(store)->dep, NULL, records))
        && WORKS(error, count_packets(&infos->packets, NULL, fetches));
    int code = CLI_OK;

    if (good) {
        print_store(sheet, path, store_about(store));
        print_learnt(sheet, store);
        sheet_text(sheet, "\n");
        sheet_object(sheet, "data");
        print_dep_info(sheet, &store_about(store)->dep, &infos->dep);
        code = show_rebuilt(sheet, path, store);
        sheet_close(sheet);
        sheet_text(sheet, "\nFetches\n");
        sheet_object(sheet, "fetches");
        print_packet_info(sheet, &store_about(store)->fetch, &infos->packets);
        sheet_close(sheet);
    }
    store_fetches_close(fetches);
    store_records_close(records);
    store_close(store);
    return good ? code : cli_fail_proto(&error);
}

/* A folder that holds no trace; one of its folders may. */
static int refuse_folder(const char *folder)
{
    DIR *const list = opendir(folder);
    char *found = NULL;
    int code;

    for (const struct dirent *entry; list && !found && (entry = readdir(list)) != NULL;) {
        char *const path = entry->d_name[0] == '.' ? NULL : path_join(folder, entry->d_name);

        if (path && path_is_folder(path) && trace_is_known(path))
            found = path;
        else
            free(path);
    }
    if (list)
        closedir(list);
    code = cli_fail_text("%s: is a folder without a trace in it%s%s; expected deptrace.proto.gz and "
                         "fetchtrace.proto.gz, a kernelslist, or an instruction trace's files", folder,
                         found ? ", but there is one in " : "", found ? found : "");
    free(found);
    return code;
}

/* Shows one trace, a pair's two files included. */
static int show(const struct trace_request *request, int (*one)(struct infos *infos, const char *path))
{
    struct infos *const infos = calloc(1, sizeof *infos);
    int code;

    if (!infos)
        return cli_fail_text("out of memory");
    begin_infos(infos, request->line_bytes != 0 ? request->line_bytes : 64);
    code = sheet_begin(&infos->sheet, request, false) ? CLI_OK : CLI_BAD_INPUT;
    if (code == CLI_OK && request->heading)
        sheet_text(&infos->sheet, "%s\n", cli_shown(request->heading));
    if (code == CLI_OK)
        code = sheet_end(&infos->sheet, one(infos, request->path));
    code = end_infos(infos, request->svg, request->path, code);
    free(infos);
    return code;
}

int trace_elastic_info_store(const struct trace_request *request)
{
    return show(request, show_store);
}

int trace_elastic_info_pair(const struct trace_request *request)
{
    return show(request, show_pair);
}

int trace_elastic_info_fetches(const struct trace_request *request)
{
    return show(request, show_packets);
}

int trace_elastic_info_data(const struct trace_request *request)
{
    return show(request, show_dep);
}

/* A folder of threads has a pair for each. */
int trace_elastic_info_unknown(const struct trace_request *request)
{
    char **const threads = trace_dir_threads(request->path);
    struct trace_request one = *request;
    int code = CLI_OK;

    if (!threads)
        return path_is_folder(request->path) ? refuse_folder(request->path) : trace_elastic_info_data(request);
    if (request->svg && threads[1])
        code = cli_fail_text("--svg draws one trace, and %s holds several; give one of them, such as %s",
                             request->path, threads[0]);
    for (size_t i = 0; code == CLI_OK && threads[i]; i++) {
        one.path = one.heading = threads[i];
        if (i > 0 && !request->is_json)
            putchar('\n');
        code = trace_elastic_info_pair(&one);
    }
    trace_dir_threads_free(threads);
    return code;
}
