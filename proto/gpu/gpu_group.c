/* Turns lines into blocks, in the form of the reference's post-processing (gpu-traces 4.2, 4.3); proto/gpu/warp_sort
 * orders the lines.
 *
 * Blocks are identified by their position, not by their number in the grid: grids with a 0 (2) have no such number.
 * Blank lines, header lines and comments are copied when they are read; since instructions wait for the end of the
 * file, these lines come first.
 *
 * LDGSTS (4.3): tracers from version 5 on write two consecutive records of the warp with the same pc and mask; the
 * first holds the addresses in shared memory and is left out. So the number of a warp's lines, which precedes them in
 * the output, is known only after comparing such lines; a warp with an LDGSTS is read twice. */
#include "proto/gpu/gpu_group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "proto/gpu/warp_sort.h"

#define PAIRED_OPCODE "LDGSTS"

enum {
    WARPS_MAX = 4096,                /* of a block; today's devices have at most 32 */
    FIRST_WITHOUT_IDS = 3,           /* in grouped files (5) */
    FIRST_WITH_CLUSTERS = 6, CLUSTER_COLUMNS = 7, KNOWN_CLUSTERS = 1024
};

struct head {
    uint32_t grid[3], block[3];
    bool has_block, is_gcn3, has_line_column;
    uint64_t warp_size, version;
};

/* A line with the first record of a possible pair, held until the warp's next line shows whether it has a second
 * one. */
struct held_line {
    bool is_there;
    char text[WARP_SORT_LINE_MAX];
    size_t bytes;
    struct gpu_cursor place;         /* its pc and mask, within text */
};

struct known_cluster {
    bool is_there;
    uint32_t block[3];
    struct gpu_cluster cluster;
};

struct group {
    struct gpu_text text;
    struct head head;
    bool has_body, has_core_columns, warned_empty;
    uint64_t warp_count;             /* of a block, by the header */
    struct warp_sort *sort;
    struct sink *to;
    struct gpu_group_report *report;
    struct gpu_warnings *warnings;
    struct held_line held;
    struct known_cluster known[KNOWN_CLUSTERS];      /* of blocks met lately, by their position */
    struct gpu_cluster cluster;      /* of the block that is being written */

    bool in_block;
    struct warp_key at;              /* block that is being written, and its next warp */
    uint64_t blocks_outside;         /* of the grid */
};

static const char *gpu_group_name_of(const struct group *group)
{
    return gpu_text_name(&group->text);
}

/* --- header ------------------------------------------------------------------------------------------------------- */

static struct fault bad_value(const struct group *group, const struct gpu_cursor *value, const char *expected)
{
    return gpu_text_unexpected(gpu_group_name_of(group), group->text.line, value, expected);
}

/* A line that begins with '-'. */
static struct fault take_key(struct group *group, struct gpu_cursor line)
{
    struct head *const head = &group->head;
    uint64_t number;

    if (gpu_take_word(&line, "-grid dim =")) {
        if (!gpu_take_three(line, head->grid))
            return bad_value(group, &line, "the grid's blocks, (x,y,z)");
    } else if (gpu_take_word(&line, "-block dim =")) {
        if (!gpu_take_three(line, head->block))
            return bad_value(group, &line, "the block's threads, (x,y,z)");
        head->has_block = true;
    } else if (gpu_take_word(&line, "-warp size =")) {
        if (!gpu_take_unsigned(&line, 64, &head->warp_size) || (head->warp_size != 32 && head->warp_size != 64))
            return bad_value(group, &line, "a warp size of 32 or 64");
    } else if (gpu_take_word(&line, "-enable lineinfo =")) {
        if (!gpu_take_unsigned(&line, 1, &number))
            return bad_value(group, &line, "0 or 1");
        head->has_line_column = number == 1;
    } else if (gpu_take_word(&line, "-isa type =")) {
        head->is_gcn3 = gpu_equals(&line, "GCN3");
    } else if (gpu_take_word(&line, "-accelsim tracer version =")) {
        const char *const dot = line.end > line.at ? memchr(line.at, '.', (size_t)(line.end - line.at)) : NULL;

        line.end = dot != NULL ? dot : line.end;
        if (!gpu_take_unsigned(&line, UINT32_MAX, &head->version))
            return bad_value(group, &line, "the tracer's version");
        if (head->version > GPU_VERSION_MAX)
            return fault_at_line(gpu_group_name_of(group), group->text.line,
                                 "traces of tracer version %" PRIu64 " are not read; expected a version up to %u; "
                                 "trace the program with such a tracer", head->version, GPU_VERSION_MAX);
    }
    return fault_none();
}

/* Ends the header: checks the fields that instructions need. */
static struct fault end_header(struct group *group)
{
    struct head *const head = &group->head;
    uint64_t const sides = (uint64_t)head->block[0] * head->block[1];
    uint64_t threads;

    if (group->text.line == 0)
        return fault_at(gpu_group_name_of(group), FAULT_NO_OFFSET, "is empty; expected a kernel's trace");
    if (!head->has_block)
        return fault_at_line(gpu_group_name_of(group), group->text.line,
                             "the header has no \"-block dim = (x,y,z)\"; expected "
                             "the header of a kernel's trace before its instructions");
    if (head->warp_size == 0)
        head->warp_size = head->is_gcn3 ? 64 : 32;
    if (!multiply_u64(sides, head->block[2], &threads) || threads > WARPS_MAX * head->warp_size)
        return fault_at_line(gpu_group_name_of(group), group->text.line,
                             "the header's block dim is (%" PRIu32 ",%" PRIu32
                             ",%" PRIu32 "); expected at most %d warps in a block", head->block[0], head->block[1],
                             head->block[2], WARPS_MAX);
    group->warp_count = (threads + head->warp_size - 1) / head->warp_size;
    return fault_none();
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static struct gpu_cursor next_column(struct gpu_cursor *line)
{
    struct gpu_cursor column;

    gpu_skip_blanks(line);
    column.at = line->at;
    while (!gpu_is_column_end(line))
        line->at++;
    column.end = line->at;
    return column;
}

static bool is_mask(const struct group *group, const struct gpu_cursor *column)
{
    if ((uint64_t)(column->end - column->at) != group->head.warp_size / 4)
        return false;
    for (const char *at = column->at; at < column->end; at++)
        if (gpu_hex_digit(*at) > 15)
            return false;
    return true;
}

/* Some tracers write the core's number and the warp's slot after the ids (3.1). No header announces these columns, but
 * the mask, whose length is known, is then two columns later. */
static bool has_core_columns(const struct group *group, struct gpu_cursor rest)
{
    unsigned const mask_at = group->head.has_line_column ? 2 : 1;
    bool is_here = false, is_later = false;

    for (unsigned i = 0; i <= mask_at + 2; i++) {
        struct gpu_cursor const column = next_column(&rest);

        is_here = is_here || (i == mask_at && is_mask(group, &column));
        is_later = is_later || (i == mask_at + 2 && is_mask(group, &column));
    }
    return is_later && !is_here;
}

/* pc to mask of a line without ids if its opcode has two records; else false. */
static bool find_pair(const struct group *group, struct gpu_cursor line, struct gpu_cursor *place)
{
    struct gpu_cursor opcode, mask;
    uint64_t destinations;

    if (group->head.has_line_column)
        next_column(&line);
    *place = next_column(&line);
    mask = next_column(&line);
    place->end = mask.end;
    if (!gpu_take_unsigned(&line, UINT32_MAX, &destinations))
        return false;
    for (; destinations > 0 && line.at < line.end; destinations--)
        next_column(&line);
    opcode = next_column(&line);
    return gpu_take_word(&opcode, PAIRED_OPCODE);
}

/* The ids at the front; the cursor goes behind them. */
static struct fault take_ids(struct group *group, struct gpu_cursor *line, struct warp_key *key)
{
    struct gpu_cursor const whole = *line;
    uint64_t id[4];
    const char *const what[4] = {"x of the thread block", "y of the thread block", "z of the thread block",
                                 "the warp's number"};

    for (int i = 0; i < 4; i++)
        if (!gpu_take_unsigned(line, UINT32_MAX, &id[i])) {
            if (i == 0 && (gpu_take_word(line, "thread block =") || gpu_take_word(line, "warp =")
                           || gpu_take_word(line, "insts =")))
                return fault_at_line(gpu_group_name_of(group), group->text.line,
                                     "the file is grouped already; expected a raw " "one, as the tracer writes it");
            return gpu_text_unexpected(gpu_group_name_of(group), group->text.line, i == 0 ? &whole : line, what[i]);
        }
    if (id[3] >= WARPS_MAX)
        return fault_at_line(gpu_group_name_of(group), group->text.line, "warp %" PRIu64
                             " of a block; expected one below %" PRIu64 ", by the header's block dim; trace the "
                             "program again or mend the line", id[3], group->warp_count);
    *key = (struct warp_key){.x = (uint32_t)id[0], .y = (uint32_t)id[1], .z = (uint32_t)id[2], .warp = (uint32_t)id[3]};
    return fault_none();
}

static bool has_clusters(const struct group *group)
{
    return group->head.version >= FIRST_WITH_CLUSTERS && !group->head.is_gcn3;
}

/* A block's cluster is kept as a line of its own, of a warp before the block's first: once for each stay among the
 * blocks met lately, so that memory is bounded. */
static struct fault keep_cluster(struct group *group, const struct warp_key *key, const struct gpu_cluster *cluster)
{
    struct known_cluster *const known =
        &group->known[(key->x * 31 + key->y * 7919 + key->z * 104729) % KNOWN_CLUSTERS];
    uint32_t const block[3] = {key->x, key->y, key->z};
    bool const is_same = known->is_there && memcmp(known->block, block, sizeof block) == 0;
    struct warp_line line = {.key = {.z = key->z, .y = key->y, .x = key->x}, .head = ""};
    char text[CLUSTER_COLUMNS * 11 + 1];

    if (is_same && memcmp(&known->cluster, cluster, sizeof *cluster) == 0)
        return fault_none();
    if (is_same)
        return fault_at_line(gpu_group_name_of(group), group->text.line, "the block is in another cluster here than in "
                             "a line before; expected one for all its lines; trace the program again");
    FORWARD(gpu_cluster_check(cluster, gpu_group_name_of(group), group->text.line));
    *known = (struct known_cluster){.is_there = true, .block = {key->x, key->y, key->z}, .cluster = *cluster};
    line.rest = text;
    line.rest_bytes = (size_t)snprintf(text, sizeof text, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
                                       " %" PRIu32 " %" PRIu32, cluster->id[0], cluster->id[1], cluster->id[2],
                                       cluster->block[0], cluster->block[1], cluster->block[2], cluster->rank);
    return warp_sort_add(group->sort, &line);
}

static struct fault take_cluster_columns(const struct group *group, struct gpu_cursor *line,
                                         struct gpu_cluster *cluster)
{
    static const char *const what[CLUSTER_COLUMNS] = {
        "x of the cluster", "y of the cluster", "z of the cluster", "x of the block in its cluster",
        "y of the block in its cluster", "z of the block in its cluster", "the block's rank in its cluster"
    };
    uint32_t *const to[CLUSTER_COLUMNS] = {&cluster->id[0], &cluster->id[1], &cluster->id[2], &cluster->block[0],
                                           &cluster->block[1], &cluster->block[2], &cluster->rank};

    for (int i = 0; i < CLUSTER_COLUMNS; i++) {
        uint64_t number;

        if (!gpu_take_unsigned(line, UINT32_MAX, &number))
            return gpu_text_unexpected(gpu_group_name_of(group), group->text.line, line, what[i]);
        *to[i] = (uint32_t)number;
    }
    return fault_none();
}

/* Version 6's columns behind the ids; the block's own warps then come behind that of its cluster. */
static struct fault take_block_cluster(struct group *group, struct gpu_cursor *line, struct warp_key *key)
{
    struct gpu_cluster cluster;

    FORWARD(take_cluster_columns(group, line, &cluster));
    FORWARD(keep_cluster(group, key, &cluster));
    key->warp++;
    return fault_none();
}

static struct fault take_instruction(struct group *group, struct gpu_cursor line)
{
    struct warp_line kept = {.head = line.at};
    struct gpu_cursor place, look;

    if (!group->has_body)
        FORWARD(end_header(group));
    FORWARD(take_ids(group, &line, &kept.key));
    if (has_clusters(group))
        FORWARD(take_block_cluster(group, &line, &kept.key));
    line.at += line.at < line.end;
    if (group->head.version < FIRST_WITHOUT_IDS)
        kept.head_bytes = (size_t)(line.at - (const char *)kept.head);
    if (!group->has_body)
        group->has_core_columns = has_core_columns(group, line);
    group->has_body = true;
    if (group->has_core_columns) {
        next_column(&line);
        next_column(&line);
        line.at += line.at < line.end;
    }
    look = line;
    gpu_skip_blanks(&look);
    if (look.at == look.end) {
        if (!group->warned_empty)
            gpu_warn(group->warnings, gpu_group_name_of(group), group->text.line,
                     "the line has ids but no instruction; left " "out, as are further ones");
        group->warned_empty = true;
        return fault_none();
    }
    kept.rest = line.at;
    kept.rest_bytes = (size_t)(line.end - line.at);
    if (kept.head_bytes + kept.rest_bytes >= WARP_SORT_LINE_MAX)
        return fault_at_line(gpu_group_name_of(group), group->text.line,
                             "is longer than %u bytes; expected an instruction", WARP_SORT_LINE_MAX);
    kept.is_marked = find_pair(group, line, &place);
    return warp_sort_add(group->sort, &kept);
}

static struct fault copy_line(struct group *group, const struct gpu_cursor *line)
{
    FORWARD(sink_write(group->to, line->at, (size_t)(line->end - line->at)));
    return sink_write(group->to, "\n", 1);
}

static struct fault gpu_group_take_line(struct group *group, struct gpu_cursor line)
{
    char const first = line.at < line.end ? *line.at : '#';

    if (first != '-' && first != '#')
        return take_instruction(group, line);
    if (line.at < line.end && gpu_take_word(&(struct gpu_cursor){line.at, line.end}, "#BEGIN_TB"))
        return fault_at_line(gpu_group_name_of(group), group->text.line,
                             "the file is grouped already; expected a raw one, as " "the tracer writes it");
    if (first == '-')
        FORWARD(take_key(group, line));
    return copy_line(group, &line);
}

static struct fault take_lines(struct group *group)
{
    struct fault fault = fault_none();
    struct gpu_cursor line;
    enum gpu_text_step step;

    while ((step = gpu_text_next(&group->text, &line, &fault)) == GPU_TEXT_LINE)
        FORWARD(gpu_group_take_line(group, line));
    if (step == GPU_TEXT_FAILED)
        return fault;
    if (!group->has_body)
        FORWARD(end_header(group));
    /* The reference treats the text behind the last newline as a line, too. */
    return sink_write(group->to, "\n", 1);
}

/* --- warps -------------------------------------------------------------------------------------------------------- */

static struct fault print(struct group *group, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct fault print(struct group *group, const char *format, ...)
{
    char line[256];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return sink_write(group->to, line, (size_t)length);
}

static struct fault gpu_group_put_line(struct group *group, const char *line, size_t bytes, bool writes,
                                       uint64_t *count)
{
    ++*count;
    return !writes ? fault_none() : sink_write(group->to, line, bytes);
}

static struct fault put_held(struct group *group, bool writes, uint64_t *count)
{
    bool const is_there = group->held.is_there;

    group->held.is_there = false;
    return !is_there ? fault_none() : gpu_group_put_line(group, group->held.text, group->held.bytes, writes, count);
}

static bool same_place(const struct gpu_cursor *a, const struct gpu_cursor *b)
{
    size_t const length = (size_t)(a->end - a->at);

    return length == (size_t)(b->end - b->at) && memcmp(a->at, b->at, length) == 0;
}

/* One line, with its newline, of a warp that has such pairs. */
static struct fault pair_line(struct group *group, const char *line, size_t bytes, bool writes, uint64_t *count)
{
    struct held_line *const held = &group->held;
    struct gpu_cursor rest = {line, line + bytes - 1}, place;
    bool is_first;

    if (group->head.version < FIRST_WITHOUT_IDS)
        for (int i = 0; i < 4; i++)
            next_column(&rest);
    is_first = find_pair(group, rest, &place);
    if (is_first && held->is_there && same_place(&held->place, &place)) {
        held->is_there = false;
        group->report->left_out += writes;
        return gpu_group_put_line(group, line, bytes, writes, count);
    }
    FORWARD(put_held(group, writes, count));
    if (!is_first)
        return gpu_group_put_line(group, line, bytes, writes, count);
    memcpy(held->text, line, bytes);
    held->bytes = bytes;
    held->place = (struct gpu_cursor){held->text + (place.at - line), held->text + (place.end - line)};
    held->is_there = true;
    return fault_none();
}

/* The warp's lines without first records of pairs: counted, and written if `writes`. */
static struct fault pair_lines(struct group *group, bool writes, uint64_t *count)
{
    struct fault fault = fault_none();
    const char *text;
    size_t bytes;
    enum warp_step step;

    *count = 0;
    warp_sort_rewind(group->sort);
    while ((step = warp_sort_text(group->sort, &text, &bytes, &fault)) == WARP_GIVEN)
        for (const char *end; bytes > 0; text = end) {
            end = (const char *)memchr(text, '\n', bytes) + 1;
            bytes -= (size_t)(end - text);
            FORWARD(pair_line(group, text, (size_t)(end - text), writes, count));
        }
    return (step == WARP_NO_MORE && WORKS(fault, put_held(group, writes, count))) ? fault_none() : fault;
}

static struct fault copy_lines(struct group *group)
{
    struct fault fault = fault_none();
    const char *text;
    size_t bytes;
    enum warp_step step;

    while ((step = warp_sort_text(group->sort, &text, &bytes, &fault)) == WARP_GIVEN)
        FORWARD(sink_write(group->to, text, bytes));
    return step == WARP_NO_MORE ? fault_none() : fault;
}

/* Warps of the block, up to one, that have no line. */
static struct fault put_empty_warps(struct group *group, uint64_t behind)
{
    for (; group->at.warp < behind; group->at.warp++)
        FORWARD(print(group, "\nwarp = %" PRIu32 "\ninsts = 0\n", group->at.warp));
    return fault_none();
}

static struct fault end_block(struct group *group)
{
    if (!group->in_block)
        return fault_none();
    group->in_block = false;
    FORWARD(put_empty_warps(group, group->warp_count));
    return print(group, "\n#END_TB\n");
}

static struct fault gpu_group_begin_block(struct group *group, const struct warp_key *key)
{
    const uint32_t *const grid = group->head.grid;

    if (group->in_block && group->at.z == key->z && group->at.y == key->y && group->at.x == key->x)
        return fault_none();
    FORWARD(end_block(group));
    group->at = (struct warp_key){.z = key->z, .y = key->y, .x = key->x};
    group->in_block = true;
    group->report->blocks++;
    group->blocks_outside += key->x >= grid[0] || key->y >= grid[1] || key->z >= grid[2];
    FORWARD(print(group, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", key->x, key->y,
                  key->z));
    if (!has_clusters(group))
        return fault_none();
    return print(group, "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = %" PRIu32 ",%" PRIu32 ",%"
                 PRIu32 "\ncluster rank = %" PRIu32 "\n", group->cluster.id[0], group->cluster.id[1],
                 group->cluster.id[2], group->cluster.block[0], group->cluster.block[1], group->cluster.block[2],
                 group->cluster.rank);
}

/* A block's cluster; it has several lines if the block was met again after many others. */
static struct fault take_kept_cluster(struct group *group, const struct warp_key *key)
{
    struct fault fault = fault_none();
    const char *text;
    size_t bytes;
    enum warp_step step;
    bool is_first = true;

    while ((step = warp_sort_text(group->sort, &text, &bytes, &fault)) == WARP_GIVEN)
        for (const char *end; bytes > 0; text = end) {
            struct gpu_cluster cluster;
            struct gpu_cursor line;

            end = (const char *)memchr(text, '\n', bytes) + 1;
            line = (struct gpu_cursor){text, end - 1};
            bytes -= (size_t)(end - text);
            FORWARD(take_cluster_columns(group, &line, &cluster));
            if (!is_first && memcmp(&cluster, &group->cluster, sizeof cluster) != 0)
                return fault_at(gpu_group_name_of(group), FAULT_NO_OFFSET, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32
                                " is in several clusters; expected one for all its lines; trace the program again",
                                key->x, key->y, key->z);
            group->cluster = cluster;
            is_first = false;
        }
    return step == WARP_NO_MORE ? fault_none() : fault;
}

static struct fault put_warp(struct group *group, const struct warp_lines *kept)
{
    struct warp_lines shown = *kept;
    struct warp_lines *const warp = &shown;
    uint64_t count = warp->lines;

    if (has_clusters(group) && warp->key.warp-- == 0)
        return take_kept_cluster(group, &kept->key);
    FORWARD(gpu_group_begin_block(group, &warp->key));
    FORWARD(put_empty_warps(group, warp->key.warp));
    if (warp->has_marked)
        FORWARD(pair_lines(group, false, &count));
    FORWARD(print(group, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp->key.warp, count));
    group->at.warp++;
    group->report->warps++;
    group->report->insts += count;
    return warp->has_marked ? pair_lines(group, true, &count) : copy_lines(group);
}

static struct fault put_warps(struct group *group)
{
    struct fault fault = fault_none();
    struct warp_lines warp;
    enum warp_step step;

    while ((step = warp_sort_next(group->sort, &warp, &fault)) == WARP_GIVEN)
        FORWARD(put_warp(group, &warp));
    return (step == WARP_NO_MORE && WORKS(fault, end_block(group))) ? fault_none() : fault;
}

static void warn_of_grid(struct group *group)
{
    const uint32_t *const grid = group->head.grid;
    uint64_t const found = group->report->blocks - group->blocks_outside;
    uint64_t expected;

    if (!multiply_u64((uint64_t)grid[0] * grid[1], grid[2], &expected))
        expected = UINT64_MAX;
    if (group->blocks_outside > 0)
        gpu_warn(group->warnings, gpu_group_name_of(group), 0,
                 "%" PRIu64 " thread block%s outside of the header's grid dim (%"
                 PRIu32 ",%" PRIu32 ",%" PRIu32 ")", group->blocks_outside,
                 group->blocks_outside == 1 ? " lies" : "s lie", grid[0], grid[1], grid[2]);
    if (found < expected)
        gpu_warn(group->warnings, gpu_group_name_of(group), 0,
                 "%" PRIu64 " of the grid's %" PRIu64 " thread blocks ha%s no "
                 "instruction and %s left out", expected - found, expected, expected - found == 1 ? "s" : "ve",
                 expected - found == 1 ? "is" : "are");
}

static struct fault gpu_group_run(struct group *group)
{
    FORWARD(take_lines(group));
    FORWARD(put_warps(group));
    warn_of_grid(group);
    return fault_none();
}

static const char *temporary_folder(void)
{
    const char *const named = getenv("TMPDIR");

    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

struct fault gpu_group_file(const char *path, struct sink *to, size_t memory_bytes, struct gpu_group_report *report,
                            struct gpu_warnings *warnings)
{
    struct fault fault = fault_none();
    struct group *const group = calloc(1, sizeof *group);
    bool good = false;

    *report = (struct gpu_group_report){0};
    if (group == NULL)
        return fault_memory(path, NULL);
    group->to = to;
    group->report = report;
    group->warnings = warnings;
    if (WORKS(fault, gpu_text_open(&group->text, &(struct stream_source){.path = path}))) {
        group->sort = warp_sort_new(path, temporary_folder(), memory_bytes > 0 ? memory_bytes : GPU_GROUP_MEMORY_BYTES,
                                    &fault);
        good = group->sort != NULL && WORKS(fault, gpu_group_run(group));
        warp_sort_free(group->sort);
        gpu_text_close(&group->text);
    }
    free(group);
    return good ? fault_none() : fault;
}

int gpu_group_temporary(const char *path, size_t memory_bytes, struct gpu_group_report *report,
                        struct gpu_warnings *warnings, struct fault *error)
{
    int const file = warp_sort_temporary(path, temporary_folder(), error);
    int const copy = file >= 0 ? dup(file) : -1;
    struct sink *sink;
    bool good;

    if (file >= 0 && copy < 0)
        *error = fault_at(path, FAULT_NO_OFFSET, "no more files can be opened: %s", strerror(errno));
    sink = copy >= 0 ? sink_open_descriptor(copy, path, error) : NULL;
    good = sink != NULL && WORKS(*error, gpu_group_file(path, sink, memory_bytes, report, warnings));
    if (good)
        good = WORKS(*error, sink_close(sink))
               && (lseek(file, 0, SEEK_SET) == 0
                   || WORKS(*error, fault_at(path, FAULT_NO_OFFSET, "its temporary file: %s", strerror(errno))));
    else
        sink_discard(sink);
    if (!good && file >= 0)
        close(file);
    return good ? file : -1;
}
