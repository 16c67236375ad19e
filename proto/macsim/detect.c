/* Scores by macsim-traces 2.4. The decision is made, in this order, by: the user, if half of the records fit; the
 * header, if 90 % of the records fit its format; the length, if streams were read completely; the share of records that
 * fit; PC order. The opcode table is the header's unless it is contradicted and another is less so; without a header
 * the one with the most agreements over contradictions, in the order of the list below.
 *
 * Not distinguished: tables with the same names for all opcodes of the trace (x86-2011b to x86-2013a, mostly), and igpu
 * from x86 without a header. */
#include "proto/macsim/detect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "proto/macsim/set.h"

/* the first 64 KiB determine the layout; opcode tables need more, since some differ only in rare opcodes */
enum { LAYOUT_WINDOW = 64 * 1024, WINDOW = 2 * 1024 * 1024, CHUNK = 16 * 1024, LEAST_PERCENT = 90 };

/* Bytes of one stream. */
struct segment {
    size_t from, length;
    bool whole;
};

struct looking {
    const struct macsim_source *sources;
    uint8_t *window;                     /* `room` bytes */
    size_t room;
    struct segment *segments;
    size_t segment_count;
    struct macsim_detection *detection;
    struct fault *error;
};

/* ---- records that fit */

struct place {
    uint64_t pc, target;
    unsigned size;
    bool may_jump;
};

static struct place detect_place_of(const struct macsim_format *format, const uint8_t *at)
{
    if (format->is_gpu) {
        struct macsim_gpu_record record;

        macsim_decode_gpu(format, at, &record);
        return (struct place){record.pc, record.target, record.size, record.cf != MACSIM_CF_NONE};
    } else {
        struct macsim_cpu_record record;

        macsim_decode_cpu(format->layout, at, &record);
        return (struct place){record.pc, record.target, record.size, record.taken};
    }
}

/* PTX numbers instructions in steps of 8, regardless of their size. */
static bool follows(const struct macsim_format *format, const struct place *before, const struct place *now)
{
    return now->pc == before->pc + before->size || now->pc == before->pc
        || (before->may_jump && now->pc == before->target) || (format->is_gpu && now->pc == before->pc + 8);
}

/* PCs of NVBit are offsets; igpu's begin at 0. */
static bool may_be_at_0(const struct macsim_format *format)
{
    return format->layout == MACSIM_N64 || macsim_dialect_family(format->opcodes) == MACSIM_FAMILY_GED;
}

static void count_fit(const struct macsim_format *format, const uint8_t *at, uint64_t pc,
                      struct macsim_layout_score *score)
{
    char text[sizeof score->fault];
    enum macsim_oddity oddity = macsim_record_fault(format, at, text, sizeof text);

    if (oddity == MACSIM_PLAUSIBLE && pc == 0 && !may_be_at_0(format)) {
        oddity = MACSIM_ODD_FIELD;
        snprintf(text, sizeof text, "instruction address is 0, expected another");
    }
    if (oddity != MACSIM_PLAUSIBLE && score->fault[0] == '\0')
        memcpy(score->fault, text, sizeof text);
    score->fits += oddity == MACSIM_PLAUSIBLE;
    score->fits_but_flags += oddity != MACSIM_ODD_FIELD;
}

static void score_segment(const struct macsim_format *format, const uint8_t *at, size_t length, bool whole,
                          struct macsim_layout_score *score)
{
    size_t const bytes = macsim_layout_bytes(format->layout);
    struct place before = {0};
    bool has_before = false;
    size_t used = 0;

    while (length - used >= bytes) {
        struct place const now = detect_place_of(format, at + used);
        size_t const step = macsim_step(format, at + used);

        if (step > length - used)
            break;
        score->records++;
        count_fit(format, at + used, now.pc, score);
        score->pc_pairs += has_before;
        score->pc_follows += has_before && follows(format, &before, &now);
        before = now;
        has_before = true;
        used += step;
    }
    if (whole)
        score->left_bytes += length - used;
}

static struct macsim_layout_score score_layout(const struct looking *looking, const struct macsim_format *format)
{
    struct macsim_layout_score score = {0};

    for (size_t i = 0; i < looking->segment_count && looking->segments[i].from < LAYOUT_WINDOW; i++) {
        const struct segment *const segment = &looking->segments[i];
        size_t const room = LAYOUT_WINDOW - segment->from;
        bool const cut = segment->length > room;

        score_segment(format, looking->window + segment->from, cut ? room : segment->length,
                      segment->whole && !cut, &score);
    }
    return score;
}

/* ---- opcode tables */

static struct macsim_dialect_score score_dialect(const struct looking *looking, const struct macsim_format *format)
{
    struct macsim_dialect_score score = {0};

    for (size_t i = 0; i < looking->segment_count; i++) {
        const struct segment *const segment = &looking->segments[i];

        macsim_dialect_judge(&score, format, looking->window + segment->from, segment->length, segment->whole);
    }
    return score;
}

static bool names_differ(const struct looking *looking, const struct macsim_format *format, enum macsim_dialect other)
{
    for (size_t i = 0; i < looking->segment_count; i++) {
        const struct segment *const segment = &looking->segments[i];

        if (macsim_dialect_differs(format, other, looking->window + segment->from, segment->length))
            return true;
    }
    return false;
}

/* Chooses the opcode table of a layout and scores all. known: the table named by the header or the user, or
 * NO_DIALECT. */
static enum macsim_dialect choose_dialect(const struct looking *looking, enum macsim_layout layout, bool is_gpu,
                                          enum macsim_kind kind, enum macsim_dialect known)
{
    struct macsim_detection *const detection = looking->detection;
    struct macsim_dialect_score *const scores = detection->dialects;
    enum macsim_dialect best = NO_DIALECT;

    for (const enum macsim_dialect *table = macsim_dialects_of(layout, is_gpu, kind); *table != NO_DIALECT; table++) {
        struct macsim_format const format = macsim_format_of(layout, *table, is_gpu);

        scores[*table] = score_dialect(looking, &format);
        if (best == NO_DIALECT || macsim_dialect_is_better(&scores[*table], &scores[best]))
            best = *table;
    }
    if (known == NO_DIALECT)
        return best;
    return scores[known].contradict > 0 && macsim_dialect_is_better(&scores[best], &scores[known]) ? best : known;
}

/* Says so if another table fits as well and means something else. */
static void warn_of_ties(const struct looking *looking, enum macsim_kind kind, enum macsim_dialect known)
{
    struct macsim_detection *const detection = looking->detection;
    struct macsim_format const *const format = &detection->format;
    struct macsim_dialect_score const *const scores = detection->dialects;

    if (format->opcodes != known && known != NO_DIALECT) {
        snprintf(detection->warning, sizeof detection->warning, "the header stands for %s, which %" PRIu64 " records "
                 "contradict; taken for %s (%" PRIu64 "); --format sets another", macsim_dialect_name(known),
                 scores[known].contradict, macsim_dialect_name(format->opcodes), scores[format->opcodes].contradict);
        return;
    }
    if (known != NO_DIALECT)
        return;
    for (const enum macsim_dialect *table = macsim_dialects_of(format->layout, format->is_gpu, kind);
         *table != NO_DIALECT; table++)
        if (*table != format->opcodes && !macsim_dialect_is_better(&scores[format->opcodes], &scores[*table])
            && names_differ(looking, format, *table)) {
            snprintf(detection->warning, sizeof detection->warning, "opcodes fit %s and %s equally; taken for the "
                     "first; --format sets another", macsim_dialect_name(format->opcodes),
                     macsim_dialect_name(*table));
            return;
        }
}

/* ---- choosing the layout */

static bool fits_enough(const struct macsim_layout_score *score)
{
    return score->records > 0 && 100 * score->fits >= LEAST_PERCENT * score->records;
}

/* < 0: b is the better. */
static int compare_shares(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b)
{
    uint64_t const left = a * (of_b > 0 ? of_b : 1), right = b * (of_a > 0 ? of_a : 1);

    return (left > right) - (left < right);
}

static int compare_layouts(const struct macsim_layout_score *a, const struct macsim_layout_score *b)
{
    int const enough = fits_enough(a) - fits_enough(b);
    int const whole = (a->left_bytes == 0) - (b->left_bytes == 0);
    int const lenient = compare_shares(a->fits_but_flags, a->records, b->fits_but_flags, b->records);
    int const strict = compare_shares(a->fits, a->records, b->fits, b->records);
    int const fit = fits_enough(a) || lenient == 0 ? strict : lenient;

    return enough != 0 ? enough : fits_enough(a) && whole != 0 ? whole : fit != 0 ? fit
        : compare_shares(a->pc_follows, a->pc_pairs, b->pc_follows, b->pc_pairs);
}

/* May records of a layout have opcodes of a table? */
static bool go_together(enum macsim_layout layout, enum macsim_dialect dialect)
{
    enum macsim_family const family = macsim_dialect_family(dialect);

    switch (layout) {
    case MACSIM_C52: return family == MACSIM_FAMILY_X86 || dialect == MACSIM_PTX_2013A;
    case MACSIM_C80:
        return family == MACSIM_FAMILY_X86 || family == MACSIM_FAMILY_GED || dialect == MACSIM_PTX_2013A;
    case MACSIM_C88: case MACSIM_C464: return family == MACSIM_FAMILY_X86;
    case MACSIM_A80: return family == MACSIM_FAMILY_A64;
    case MACSIM_G64: case MACSIM_G72: return family == MACSIM_FAMILY_PTX && dialect != MACSIM_PTX_2013A;
    case MACSIM_N64: case MACSIM_LAYOUT_COUNT: break;
    }
    return family == MACSIM_FAMILY_SASS;
}

/* Layouts that the header's kind and the user allow: old GPU streams have those of CPUs. */
static bool is_candidate(enum macsim_layout layout, enum macsim_kind kind, const struct macsim_override *override)
{
    if (override->has_layout)
        return layout == override->layout;
    if (override->has_dialect)
        return go_together(layout, override->dialect);
    if (kind == MACSIM_KIND_UNKNOWN)
        return true;
    if (!macsim_kind_is_gpu(kind))
        return !macsim_layout_is_gpu(layout);
    return macsim_layout_is_gpu(layout) || layout == MACSIM_C52 || layout == MACSIM_C80;
}

/* The score of the layout's best opcode table: only G72's step depends on it. */
static struct macsim_layout_score best_score(const struct looking *looking, enum macsim_layout layout, bool is_gpu,
                                             enum macsim_kind kind)
{
    struct macsim_layout_score best = {0};

    for (const enum macsim_dialect *table = macsim_dialects_of(layout, is_gpu, kind); *table != NO_DIALECT;
         table++) {
        struct macsim_format const format = macsim_format_of(layout, *table, is_gpu);
        struct macsim_layout_score const score = score_layout(looking, &format);

        if (best.records == 0 || compare_layouts(&score, &best) > 0)
            best = score;
        if (layout != MACSIM_G72)
            break;
    }
    return best;
}

static unsigned tenths_of(const struct macsim_layout_score *score)
{
    return score->records > 0 ? (unsigned)(1000 * score->fits / score->records) : 0;
}

static bool detect_refuse(const struct looking *looking, enum macsim_layout best)
{
    struct macsim_detection const *const detection = looking->detection;
    struct macsim_layout_score const *const score = &detection->layouts[best];
    const char *const path = looking->sources[0].path;

    if (score->records == 0)
        return WORKS(*looking->error, fault_at(path, FAULT_NO_OFFSET, "%" PRIu64 " bytes are too few to tell the "
                                               "layout of the records; expected a whole record, or a header that "
                                               "tells; --format LAYOUT sets it", detection->bytes));
    if (100 * score->fits_but_flags >= LEAST_PERCENT * score->records)
        return WORKS(*looking->error, fault_at(path, FAULT_NO_OFFSET, "%s fits but for flags that are neither 0 nor 1 "
                                               "(first: %s), as some converters left them; --format %s takes all that "
                                               "are not 0 as 1", macsim_layout_name(best), score->fault,
                                               macsim_layout_name(best)));
    return WORKS(*looking->error, fault_at(path, FAULT_NO_OFFSET, "no record layout fits: the best, %s, fits %u.%u %% "
                                           "of %" PRIu64 " records (first: %s); expected at least %d %%; --format "
                                           "LAYOUT sets it", macsim_layout_name(best), tenths_of(score) / 10,
                                           tenths_of(score) % 10, score->records, score->fault, LEAST_PERCENT));
}

/* Chooses the best layout; false, with the error filled, if none fits, or two fit equally. */
static bool choose_layout(const struct looking *looking, enum macsim_layout *chosen)
{
    struct macsim_layout_score const *const scores = looking->detection->layouts;
    enum macsim_layout best = MACSIM_LAYOUT_COUNT;

    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++)
        if (scores[i].records > 0
            && (best == MACSIM_LAYOUT_COUNT || compare_layouts(&scores[i], &scores[best]) > 0))
            best = (enum macsim_layout)i;
    if (best == MACSIM_LAYOUT_COUNT || !fits_enough(&scores[best]))
        return detect_refuse(looking, best == MACSIM_LAYOUT_COUNT ? MACSIM_C80 : best);
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++)
        if (i != (int)best && scores[i].records > 0 && compare_layouts(&scores[i], &scores[best]) == 0)
            return WORKS(*looking->error, fault_at(looking->sources[0].path, FAULT_NO_OFFSET, "the layouts %s and %s "
                                                   "fit its records equally; expected one that fits best; --format "
                                                   "LAYOUT sets it", macsim_layout_name(best),
                                                   macsim_layout_name((enum macsim_layout)i)));
    *chosen = best;
    return true;
}

/* ---- bytes */

static bool fit_window(struct looking *looking, size_t room)
{
    return list_fit(&looking->window, room, &looking->room, 1)
        || WORKS(*looking->error, fault_memory(looking->sources[0].path, NULL));
}

/* One stream's bytes, up to the window's end. */
static bool read_segment(struct looking *looking, const struct macsim_source *source, size_t *used)
{
    struct stream_source const from = {.path = source->path, .data = source->data, .size = source->size,
                                       .salvage = true, .parks = true};
    struct segment *const segment = &looking->segments[looking->segment_count++];
    enum stream_status status = STREAM_OK;
    struct stream stream;

    *segment = (struct segment){.from = *used};
    if (FAILS(*looking->error, stream_open(&stream, &from)))
        return false;
    while (status == STREAM_OK && *used < WINDOW) {
        size_t have;

        status = stream_need(&stream, CHUNK, looking->error);
        have = (size_t)(stream.end - stream.next) < CHUNK ? (size_t)(stream.end - stream.next) : CHUNK;
        if (!fit_window(looking, *used + CHUNK)) {
            stream_close(&stream);
            return false;
        }
        memcpy(looking->window + *used, stream.next, have);
        stream.next += have;
        *used += have;
        segment->length += have;
    }
    segment->whole = status == STREAM_SHORT && !stream_truncated(&stream);
    stream_close(&stream);
    return status != STREAM_FAILED || segment->length > 0;
}

static bool read_window(struct looking *looking, size_t count)
{
    size_t used = 0;

    looking->detection->whole = true;
    for (size_t i = 0; i < count && used < WINDOW; i++) {
        if (!read_segment(looking, &looking->sources[i], &used))
            return false;
        looking->detection->whole = looking->detection->whole && looking->segments[i].whole;
    }
    looking->detection->bytes = used;
    return true;
}

/* ---- all together */

static void say_why(struct macsim_detection *detection, const struct macsim_header *header)
{
    struct macsim_layout_score const *const score = &detection->layouts[detection->format.layout];
    struct macsim_dialect_score const *const table = &detection->dialects[detection->format.opcodes];
    char origin[80] = "fits best";

    if (detection->by_user)
        snprintf(origin, sizeof origin, "set by --format");
    else if (detection->by_header)
        snprintf(origin, sizeof origin, "the header says %s%s%s", macsim_kind_name(header->kind),
                 header->version[0] != '\0' ? " " : "", header->version);
    snprintf(detection->reason, sizeof detection->reason, "%s; %u.%u %% of %" PRIu64 " records fit; opcodes agree "
             "%" PRIu64 " times, contradict %" PRIu64, origin, tenths_of(score) / 10, tenths_of(score) % 10,
             score->records, table->agree, table->contradict);
}

/* The assumed kind of the streams: the header's, unless the user's opcodes belong to another kind. */
static enum macsim_kind detect_kind_of(const struct macsim_header *header, const struct macsim_override *override)
{
    enum macsim_kind const kind = header != NULL ? header->kind : MACSIM_KIND_UNKNOWN;

    if (!override->has_dialect)
        return kind;
    switch (macsim_dialect_family(override->dialect)) {
    case MACSIM_FAMILY_PTX: return MACSIM_KIND_NEWPTX;
    case MACSIM_FAMILY_SASS: return MACSIM_KIND_NVBIT;
    case MACSIM_FAMILY_A64: return MACSIM_KIND_A64;
    case MACSIM_FAMILY_GED: return MACSIM_KIND_IGPU;
    case MACSIM_FAMILY_X86: break;
    }
    /* the tables of 2011 and 2012 have PTX's opcodes, too */
    return macsim_kind_is_gpu(kind) ? kind : MACSIM_KIND_X86;
}

static void score_layouts(const struct looking *looking, enum macsim_kind kind,
                          const struct macsim_override *override)
{
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++) {
        enum macsim_layout const layout = (enum macsim_layout)i;

        if (is_candidate(layout, kind, override))
            looking->detection->layouts[i] = best_score(
                looking, layout, macsim_layout_is_gpu(layout) || macsim_kind_is_gpu(kind), kind);
    }
}

static bool fits_half(const struct macsim_layout_score *score)
{
    return 2 * score->fits_but_flags >= score->records;
}

/* A layout that fits fewer than half of the records, ignoring flags, is a mistake of the user; names the one that fits
 * better. */
static bool check_layout(const struct looking *looking, enum macsim_layout given, enum macsim_kind kind)
{
    struct macsim_layout_score *const scores = looking->detection->layouts;
    struct macsim_layout_score const *const score = &scores[given];
    enum macsim_layout best = given;
    char better[160] = "";

    if (fits_half(score))
        return true;
    score_layouts(looking, kind, &(struct macsim_override){0});
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++)
        if (compare_layouts(&scores[i], &scores[best]) > 0)
            best = (enum macsim_layout)i;
    if (fits_enough(&scores[best]))
        snprintf(better, sizeof better, "; %" PRIu64 " of %" PRIu64 " fit %s: give that, or leave --format out",
                 scores[best].fits, scores[best].records, macsim_layout_name(best));
    return WORKS(*looking->error, fault_at(looking->sources[0].path, FAULT_NO_OFFSET, "%" PRIu64 " of %" PRIu64
                                           " records fit --format %s (first that does not: %s); expected at least "
                                           "half%s", score->fits_but_flags, score->records, macsim_layout_name(given),
                                           score->fault, better));
}

static bool decide(const struct looking *looking, const struct macsim_header *header,
                   const struct macsim_override *override)
{
    struct macsim_detection *const detection = looking->detection;
    enum macsim_kind const kind = detect_kind_of(header, override);
    struct macsim_format known = {.opcodes = NO_DIALECT};
    bool const has_known = header != NULL && macsim_header_format(header, &known);
    enum macsim_layout layout = known.layout;
    enum macsim_dialect wanted, table;
    bool is_gpu;

    score_layouts(looking, kind, override);
    detection->by_user = override->has_layout || override->has_dialect;
    detection->by_header = !detection->by_user && has_known
        && (fits_enough(&detection->layouts[known.layout]) || detection->layouts[known.layout].records == 0);
    if (override->has_layout && !check_layout(looking, override->layout, header != NULL ? header->kind
                                                                                        : MACSIM_KIND_UNKNOWN))
        return false;
    if (override->has_layout)
        layout = override->layout;
    else if (!detection->by_header && !choose_layout(looking, &layout))
        return false;
    is_gpu = macsim_layout_is_gpu(layout)
        || (macsim_kind_is_gpu(kind) && (layout == MACSIM_C52 || layout == MACSIM_C80));
    wanted = override->has_dialect ? override->dialect
        : has_known && layout == known.layout ? known.opcodes : NO_DIALECT;
    table = choose_dialect(looking, layout, is_gpu, kind, wanted);
    detection->format = macsim_format_of(layout, override->has_dialect ? override->dialect : table, is_gpu);
    if (override->has_dialect)
        detection->dialects[override->dialect] = score_dialect(looking, &detection->format);
    else
        warn_of_ties(looking, kind, wanted);
    if (has_known && layout != known.layout && !detection->by_user)
        snprintf(detection->warning, sizeof detection->warning, "the header stands for %s, which %u.%u %% of the "
                 "records fit; taken for %s; --format sets another", macsim_layout_name(known.layout),
                 tenths_of(&detection->layouts[known.layout]) / 10, tenths_of(&detection->layouts[known.layout]) % 10,
                 macsim_layout_name(layout));
    /* by the chosen table, which identifies address records */
    detection->layouts[layout] = score_layout(looking, &detection->format);
    say_why(detection, header);
    return true;
}

struct fault macsim_detect(struct macsim_detection *detection, const struct macsim_source *sources, size_t count,
                           const struct macsim_header *header, const struct macsim_override *override)
{
    struct fault fault = fault_none();
    struct macsim_override const none = {0};
    struct looking looking = {.sources = sources, .detection = detection, .error = &fault};
    bool good;

    *detection = (struct macsim_detection){0};
    looking.segments = malloc(count * sizeof *looking.segments);
    good = looking.segments != NULL;
    if (!good)
        fault = fault_memory(sources[0].path, NULL);
    good = good && read_window(&looking, count) && decide(&looking, header, override != NULL ? override : &none);
    free(looking.window);
    free(looking.segments);
    return good ? fault_none() : fault;
}

/* ---- --format */

static bool find_layout(const char *text, size_t length, enum macsim_layout *layout)
{
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++) {
        const char *const name = macsim_layout_name((enum macsim_layout)i);

        if (strlen(name) == length && strncasecmp(name, text, length) == 0) {
            *layout = (enum macsim_layout)i;
            return true;
        }
    }
    return false;
}

static bool find_dialect(const char *text, enum macsim_dialect *dialect)
{
    for (int i = 0; i < MACSIM_DIALECT_COUNT; i++)
        if (strcasecmp(macsim_dialect_name((enum macsim_dialect)i), text) == 0) {
            *dialect = (enum macsim_dialect)i;
            return true;
        }
    return false;
}

bool macsim_override_parse(struct macsim_override *override, const char *text, char *problem, size_t room)
{
    const char *const slash = strchr(text, '/');
    size_t const length = slash != NULL ? (size_t)(slash - text) : strlen(text);

    *override = (struct macsim_override){0};
    override->has_layout = find_layout(text, length, &override->layout);
    if (slash != NULL || !override->has_layout)
        override->has_dialect = find_dialect(slash != NULL ? slash + 1 : text, &override->dialect);
    if ((slash != NULL && !(override->has_layout && override->has_dialect))
        || !(override->has_layout || override->has_dialect)) {
        int used = snprintf(problem, room, "expected a layout (C52, C80, C88, A80, C464, G64, G72, N64), an opcode "
                            "table, or LAYOUT/TABLE; tables:");

        for (int i = 0; i < MACSIM_DIALECT_COUNT && used > 0 && (size_t)used < room; i++)
            used += snprintf(problem + used, room - (size_t)used, " %s", macsim_dialect_name((enum macsim_dialect)i));
        return false;
    }
    if (override->has_layout && override->has_dialect && !go_together(override->layout, override->dialect)) {
        snprintf(problem, room, "records of %s have no opcodes of %s", macsim_layout_name(override->layout),
                 macsim_dialect_name(override->dialect));
        return false;
    }
    return true;
}
