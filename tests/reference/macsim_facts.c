/* Compares what our readers find in MacSim traces with what an independent parser found in the raw bytes.
 *
 *     tests/macsim-facts TRACES_DIR [SET...]
 *
 * A set is a subfolder; its facts.json holds the figures. One line a set, columns divided by tabs: SET figures V differ
 * D ok|FAILED, or SET skipped "no facts.json", which is not counted. A figure is a leaf; its name is the keys above it.
 * An object whose key is a subfolder, a stream's file or the header of streams restricts the figures below it to those
 * streams; a stream that is named twice, as by a list of kernels, counts once. Figures that differ go to stderr: set,
 * figure, expected, ours. Archives .tar.gz of a set are unpacked into a temporary folder, by tar. A set that cannot be
 * opened as a whole, since headers promise more than there is, is read stream by stream. Then `N passed, N failed`.
 * Exit code 0 if none failed, 1 if any did, 2 for unusable arguments. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <jansson.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number_map.h"
#include "proto/macsim/set.h"

extern char **environ;

enum { PATH_BYTES = 4096, DEPTH_MAX = 16, OPCODES = 1 << 16 };

/* What the figures mean. Instructions are records without the address records of G64 and G72; of N64 every record is
 * counted, children too. */
#define SCALARS(S)                                                                                                    \
    S(records, "records of the layout's size, address records of G64 and G72 too")                                    \
    S(files, "streams")                                                                                               \
    S(tail_bytes, "bytes behind the last whole record")                                                               \
    S(instructions, "records without address records and children")                                                   \
    S(fp, "records with the fp flag")                                                                                 \
    S(imm, "records with an immediate")                                                                               \
    S(taken, "conditional branches (cf = 2) that were taken")                                                         \
    S(stores, "CPU: records with a store flag; GPU: stores by opcode")                                                \
    S(loads, "CPU: sum of the numbers of loads; GPU: records that are loads")                                         \
    S(load_instr, "records with a load")                                                                              \
    S(bytes_read, "size times loads")                                                                                 \
    S(bytes_written, "size of the records with a store flag")                                                         \
    S(src_regs, "sum of the numbers of source registers")                                                             \
    S(dst_regs, "sum of the numbers of destination registers")                                                        \
    S(mem_addr_nonzero, "N64: records with a memory address")                                                         \
    S(active_lanes, "bits of the active masks")                                                                       \
    S(mem_instr, "instructions that access memory")                                                                   \
    S(lane_addresses, "addresses that are not 0, of memory instructions")                                             \
    S(mem_lane_mismatch, "memory instructions with another number of addresses than active lanes")                    \
    S(global_local_128B_transactions, "lines of 128 bytes an instruction of global or local memory begins in")

/* counted by value: cf {"2": ...} or cf_2 */
#define HISTOGRAMS(H)                                                                                                 \
    H(cf, "cf", "instructions by control-flow type")                                                                  \
    H(opcode, "op", "instructions by opcode")                                                                         \
    H(num_ld, "num_ld", "records by number of loads")                                                                 \
    H(num_st, "num_st", "records by number of stores; without such a field, the store flag")                          \
    H(read_size, "read_size", "records with a load by bytes read")                                                    \
    H(write_size, "write_size", "records with a store flag by bytes written")

/* distinct numbers */
#define DISTINCT(D)                                                                                                   \
    D(static_pcs, "PCs")                                                                                              \
    D(distinct_64B_lines_first_byte, "lines of 64 bytes of the first bytes of loads and stores")                      \
    D(distinct_128B_lines_global_local, "lines of 128 bytes that lanes' accesses to global or local memory begin in")

#define SCALAR_FIELD(name, about) uint64_t name;
#define HISTOGRAM_FIELD(name, flat, about) uint64_t name[OPCODES];
#define DISTINCT_FIELD(name, about) struct number_map name;
struct counts {
    SCALARS(SCALAR_FIELD)
    HISTOGRAMS(HISTOGRAM_FIELD)
    DISTINCT(DISTINCT_FIELD)
};

struct one_stream {
    const struct macsim_part *part;
    size_t thread;
    char *path;                      /* below the set's folder, or the archive's */
};

/* Streams that figures are of. */
struct scope {
    const struct one_stream **streams;
    size_t count;
    struct counts *counts;           /* NULL: not counted yet */
};

struct checking {
    const char *set;
    struct macsim_set **opened;          /* parts of them are pointed to */
    size_t opened_count;
    struct one_stream *streams;
    size_t stream_count;
    uint64_t figures, differ;
    bool failed;
};

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void *must(void *memory)
{
    if (memory == NULL) {
        complain("out of memory");
        exit(2);
    }
    return memory;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void count_cpu(struct counts *counts, const struct macsim_cpu_record *record)
{
    counts->instructions++;
    counts->cf[record->cf]++;
    counts->opcode[record->opcode]++;
    counts->num_ld[record->load_count]++;
    counts->num_st[record->store_count]++;
    counts->fp += record->is_fp;
    counts->imm += record->has_immediate;
    counts->taken += record->cf == MACSIM_CF_CONDITIONAL && record->taken;
    counts->src_regs += record->source_count;
    counts->dst_regs += record->destination_count;
    number_map_add(&counts->static_pcs, record->pc);
    if (record->load_count > 0) {
        counts->load_instr++;
        counts->loads += record->load_count;
        counts->bytes_read += (uint64_t)record->load_count * record->bytes_read;
        counts->read_size[record->bytes_read]++;
    }
    for (unsigned i = 0; i < record->load_count && i < 2; i++)
        number_map_add(&counts->distinct_64B_lines_first_byte, record->load[i] / 64);
    if (record->has_store) {
        counts->stores++;
        counts->bytes_written += record->bytes_written;
        counts->write_size[record->bytes_written]++;
        number_map_add(&counts->distinct_64B_lines_first_byte, record->store / 64);
    }
}

static bool is_global_or_local(const struct macsim_format *format, const struct macsim_gpu_record *record)
{
    unsigned const space = macsim_gpu_op(format->opcodes, record->opcode).space;

    return space == MACSIM_GLOBAL || space == MACSIM_LOCAL;
}

static void count_lanes(struct counts *counts, const struct macsim_gpu_record *record, bool in_lines)
{
    uint64_t lines[MACSIM_LANES];
    unsigned addresses = 0, distinct = 0;

    for (unsigned lane = 0; lane < MACSIM_LANES; lane++) {
        uint64_t const line = record->lanes[lane] / 128;
        unsigned i = 0;

        if (record->lanes[lane] == 0)
            continue;
        addresses++;
        while (i < distinct && lines[i] != line)
            i++;
        if (i == distinct)
            lines[distinct++] = line;
        if (in_lines)
            number_map_add(&counts->distinct_128B_lines_global_local, line);
    }
    counts->lane_addresses += addresses;
    counts->mem_lane_mismatch += addresses != (unsigned)__builtin_popcount(record->active_mask);
    counts->global_local_128B_transactions += in_lines ? distinct : 0;
}

static void count_gpu(struct counts *counts, const struct macsim_format *format,
                      const struct macsim_gpu_record *record)
{
    counts->cf[record->cf]++;
    counts->opcode[record->opcode]++;
    counts->fp += record->is_fp;
    counts->loads += record->is_load;
    counts->load_instr += record->is_load;
    counts->stores += macsim_gpu_op(format->opcodes, record->opcode).access == MACSIM_STORE;
    counts->src_regs += record->source_count;
    counts->dst_regs += record->destination_count;
    counts->active_lanes += (unsigned)__builtin_popcount(record->active_mask);
    counts->mem_instr += record->accesses_memory;
    counts->mem_addr_nonzero += record->address != 0;
    number_map_add(&counts->static_pcs, record->pc);
    if (record->has_lanes)
        count_lanes(counts, record, is_global_or_local(format, record));
}

/* All records of N64; its instructions are counted in a pass of their own. */
static enum macsim_step count_next(struct counts *counts, struct macsim_stream *stream, struct fault *error)
{
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;
    const uint8_t *bytes;
    enum macsim_step step;

    if (!stream->format.is_gpu) {
        step = macsim_stream_next_cpu(stream, &cpu, error);
        if (step == MACSIM_RECORD)
            count_cpu(counts, &cpu);
        return step;
    }
    if (stream->format.layout == MACSIM_N64) {
        step = macsim_stream_next_bytes(stream, &bytes, error);
        if (step == MACSIM_RECORD)
            macsim_decode_gpu(&stream->format, bytes, &gpu);
    } else {
        step = macsim_stream_next_gpu(stream, &gpu, error);
        counts->instructions += step == MACSIM_RECORD;
    }
    if (step == MACSIM_RECORD)
        count_gpu(counts, &stream->format, &gpu);
    return step;
}

static bool count_instructions(struct counts *counts, const struct one_stream *one, struct fault *error)
{
    struct macsim_stream stream;
    struct macsim_gpu_record record;
    enum macsim_step step;

    if (FAILS(*error, macsim_part_open(one->part, one->thread, &stream)))
        return false;
    while ((step = macsim_stream_next_gpu(&stream, &record, error)) == MACSIM_RECORD)
        counts->instructions++;
    macsim_stream_close(&stream);
    return step == MACSIM_END;
}

static bool count_stream(struct counts *counts, const struct one_stream *one, struct fault *error)
{
    struct macsim_stream stream;
    enum macsim_step step;
    unsigned told = 0;
    char text[400];

    if (FAILS(*error, macsim_part_open(one->part, one->thread, &stream)))
        return false;
    while ((step = count_next(counts, &stream, error)) == MACSIM_RECORD)
        continue;
    while (macsim_stream_warning(&stream, &told, text, sizeof text))
        complain("%s", text);
    counts->files++;
    counts->records += stream.bytes.end_offset / stream.record_bytes;
    counts->tail_bytes += stream.bytes.end_offset % stream.record_bytes;
    macsim_stream_close(&stream);
    return step == MACSIM_END
        && (one->part->detection.format.layout != MACSIM_N64 || count_instructions(counts, one, error));
}

static bool count_scope(struct checking *checking, struct scope *scope)
{
    struct fault error;

    if (scope->counts != NULL)
        return true;
    scope->counts = must(calloc(1, sizeof *scope->counts));
    for (size_t i = 0; i < scope->count; i++)
        if (!count_stream(scope->counts, scope->streams[i], &error)) {
            complain("%s", fault_text(error));
            checking->failed = true;
            return false;
        }
    return true;
}

static void free_scope(struct scope *scope)
{
    if (scope->counts != NULL) {
#define DISTINCT_FREE(name, about) number_map_free(&scope->counts->name);
        DISTINCT(DISTINCT_FREE)
    }
    free(scope->counts);
    free(scope->streams);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static const uint64_t *find_histogram(const struct counts *counts, const char *name, bool is_flat)
{
#define HISTOGRAM_FIND(field, flat, about) \
    if (strcmp(name, is_flat ? flat : #field) == 0) \
        return counts->field;
    HISTOGRAMS(HISTOGRAM_FIND)
    return NULL;
}

static bool is_histogram(const char *name)
{
#define HISTOGRAM_IS(field, flat, about) || strcmp(name, #field) == 0
    return false HISTOGRAMS(HISTOGRAM_IS);
}

/* "op_56" */
static bool find_flat(const struct counts *counts, const char *name, uint64_t *ours)
{
    const char *const mark = strrchr(name, '_');
    const uint64_t *histogram;
    char field[64];

    if (mark == NULL || mark[1] == '\0' || mark[1 + strspn(mark + 1, "0123456789")] != '\0'
        || (size_t)(mark - name) >= sizeof field)
        return false;
    snprintf(field, sizeof field, "%.*s", (int)(mark - name), name);
    histogram = find_histogram(counts, field, true);
    if (histogram == NULL || strtoul(mark + 1, NULL, 10) >= OPCODES)
        return false;
    *ours = histogram[strtoul(mark + 1, NULL, 10)];
    return true;
}

static bool find_scalar(const struct counts *counts, const char *name, uint64_t *ours)
{
    /* other names for the same */
    if (strcmp(name, "tail") == 0)
        name = "tail_bytes";
    if (strcmp(name, "per_file") == 0 || name[0] == '\0')
        name = "records";
#define SCALAR_FIND(field, about) \
    if (strcmp(name, #field) == 0) { \
        *ours = counts->field; \
        return true; \
    }
    SCALARS(SCALAR_FIND)
#define DISTINCT_FIND(field, about) \
    if (strcmp(name, #field) == 0) { \
        *ours = counts->field.count; \
        return true; \
    }
    DISTINCT(DISTINCT_FIND)
    return false;
}

static void differs(struct checking *checking, const char *where, const char *name, const char *expected,
                    const char *ours)
{
    complain("%s%s\t%s\t%s\t%s", checking->set, where, name, expected, ours);
    checking->differ++;
}

static void compare(struct checking *checking, const char *where, const char *name, uint64_t expected, uint64_t ours)
{
    char left[32], right[32];

    checking->figures++;
    if (expected == ours)
        return;
    snprintf(left, sizeof left, "%" PRIu64, expected);
    snprintf(right, sizeof right, "%" PRIu64, ours);
    differs(checking, where, name, left, right);
}

static bool check_leaf(struct checking *checking, struct scope *scope, const char *where, const char *name,
                       const json_t *value)
{
    uint64_t ours = 0;

    if (!count_scope(checking, scope))
        return false;
    if (json_is_integer(value) && (find_scalar(scope->counts, name, &ours) || find_flat(scope->counts, name, &ours))) {
        compare(checking, where, name, (uint64_t)json_integer_value(value), ours);
    } else {
        checking->figures++;
        differs(checking, where, name, "a figure", "not known");
    }
    return true;
}

/* {"2": 10496, ...}; values that are not named must not occur. */
static bool check_histogram(struct checking *checking, struct scope *scope, const char *where, const char *name,
                            json_t *object)
{
    const uint64_t *ours;
    const char *key;
    json_t *value;

    if (!count_scope(checking, scope))
        return false;
    ours = find_histogram(scope->counts, name, false);
    json_object_foreach(object, key, value) {
        char full[128];
        unsigned long const at = strtoul(key, NULL, 10);

        snprintf(full, sizeof full, "%s %s", name, key);
        if (key[strspn(key, "0123456789")] == '\0' && at < OPCODES && json_is_integer(value)) {
            compare(checking, where, full, (uint64_t)json_integer_value(value), ours[at]);
        } else {
            checking->figures++;
            differs(checking, where, full, "a figure", "not known");
        }
    }
    for (unsigned i = 0; i < OPCODES; i++) {
        char full[128], text[16];

        snprintf(text, sizeof text, "%u", i);
        snprintf(full, sizeof full, "%s %u", name, i);
        if (ours[i] != 0 && json_object_get(object, text) == NULL)
            compare(checking, where, full, 0, ours[i]);
    }
    return true;
}

/* Does the key name the stream's file, or a folder above it? */
static bool is_named(const char *path, const char *key)
{
    size_t const length = strlen(key);

    for (const char *at = path; (at = strstr(at, key)) != NULL; at++)
        if ((at == path || at[-1] == '/') && (at[length] == '/' || at[length] == '\0'))
            return true;
    return false;
}

/* "a.txt" or "a", for streams a_0.raw and so on. */
static bool is_headers(const struct one_stream *one, const char *key)
{
    const char *const path = one->part->header.path, *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path, *const dot = strrchr(name, '.');

    return strcmp(name, key) == 0
        || (dot != NULL && strlen(key) == (size_t)(dot - name) && strncmp(name, key, strlen(key)) == 0);
}

/* False: the key names no stream of the scope. */
static bool restrict_scope(const struct scope *scope, const char *key, bool is_object, struct scope *narrow)
{
    *narrow = (struct scope){.streams = must(malloc(scope->count * sizeof *narrow->streams))};
    for (size_t i = 0; key[0] != '\0' && i < scope->count; i++)
        if (is_named(scope->streams[i]->path, key) || (is_object && is_headers(scope->streams[i], key)))
            narrow->streams[narrow->count++] = scope->streams[i];
    if (narrow->count > 0)
        return true;
    free_scope(narrow);
    return false;
}

static bool check_value(struct checking *checking, struct scope *scope, const char *where, const char *name,
                        json_t *value);

static bool check_key(struct checking *checking, struct scope *scope, const char *where, const char *name,
                      const char *key, json_t *value)
{
    char longer[PATH_BYTES];
    struct scope narrow;
    bool good;

    if (!restrict_scope(scope, key, json_is_object(value), &narrow)) {
        snprintf(longer, sizeof longer, "%s%s%s", name, name[0] != '\0' ? " " : "", key);
        return check_value(checking, scope, where, longer, value);
    }
    snprintf(longer, sizeof longer, "%s/%s", where, key);
    good = check_value(checking, &narrow, longer, name, value);
    free_scope(&narrow);
    return good;
}

static bool check_value(struct checking *checking, struct scope *scope, const char *where, const char *name,
                        json_t *value)
{
    const char *key;
    json_t *member;

    if (!json_is_object(value))
        return check_leaf(checking, scope, where, name, value);
    if (is_histogram(name))
        return check_histogram(checking, scope, where, name, value);
    json_object_foreach(value, key, member)
        if (!check_key(checking, scope, where, name, key, member))
            return false;
    return true;
}

/* --- sets --------------------------------------------------------------------------------------------------------- */

static bool open_one(struct checking *checking, const char *path)
{
    struct macsim_set *const set = must(calloc(1, sizeof *set));
    struct fault error;

    if (FAILS(error, macsim_set_open(set, path, NULL))) {
        complain("%s", fault_text(error));
        free(set);
        return false;
    }
    checking->opened = must(realloc(checking->opened, (checking->opened_count + 1) * sizeof *checking->opened));
    checking->opened[checking->opened_count++] = set;
    for (size_t i = 0; i < set->warning_count; i++)
        complain("%s", set->warnings[i]);
    return true;
}

static bool is_there(const char *path, bool is_folder)
{
    struct stat about;

    return stat(path, &about) == 0 && (bool)S_ISDIR(about.st_mode) == is_folder;
}

static bool ends_in(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Each stream of a folder and below by itself; true if there is one. */
static bool open_streams(struct checking *checking, const char *folder, int depth)
{
    struct dirent **entries = NULL;
    int const count = scandir(folder, &entries, NULL, alphasort);
    bool found = false;

    for (int i = 0; i < count; i++) {
        char path[2 * PATH_BYTES];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && depth < DEPTH_MAX && is_there(path, true))
            found = open_streams(checking, path, depth + 1) || found;
        else if (strchr(entries[i]->d_name, '_') != NULL && ends_in(path, ".raw") && is_there(path, false))
            found = open_one(checking, path) || found;
        free(entries[i]);
    }
    free(entries);
    return found;
}

static bool open_traces(struct checking *checking, const char *folder)
{
    return open_one(checking, folder) || open_streams(checking, folder, 0);
}

/* folder: base of the paths below. */
static void add_streams(struct checking *checking, const struct macsim_set *set, const char *folder)
{
    size_t const length = strlen(folder);

    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++) {
            const struct macsim_part *const part = &set->applications[a].parts[p];

            checking->streams = must(realloc(checking->streams, (checking->stream_count + part->header.thread_count)
                                                                    * sizeof *checking->streams));
            for (size_t i = 0; i < part->header.thread_count; i++) {
                char path[MACSIM_PATH_MAX];

                macsim_part_path(part, i, path);
                checking->streams[checking->stream_count++] = (struct one_stream){
                    part, i, must(strdup(strncmp(path, folder, length) == 0 ? path + length + 1 : path))};
            }
        }
}

static int compare_streams(const void *a, const void *b)
{
    return strcmp(((const struct one_stream *)a)->path, ((const struct one_stream *)b)->path);
}

static void drop_doubles(struct checking *checking)
{
    size_t kept = 0;

    if (checking->stream_count > 0)
        qsort(checking->streams, checking->stream_count, sizeof *checking->streams, compare_streams);
    for (size_t i = 0; i < checking->stream_count; i++)
        if (kept > 0 && compare_streams(&checking->streams[kept - 1], &checking->streams[i]) == 0)
            free(checking->streams[i].path);
        else
            checking->streams[kept++] = checking->streams[i];
    checking->stream_count = kept;
}

static bool unpack(const char *archive, const char *folder)
{
    char *arguments[] = {"tar", "-xzf", (char *)(uintptr_t)archive, "-C", (char *)(uintptr_t)folder, NULL};
    int status;
    pid_t child;

    if (posix_spawnp(&child, "tar", NULL, NULL, arguments, environ) != 0 || waitpid(child, &status, 0) != child
        || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        complain("%s: tar could not unpack it", archive);
        return false;
    }
    return true;
}

/* The set's own streams, and those of its archives. */
static bool open_set(struct checking *checking, const char *folder, const char *temporary)
{
    bool good = !macsim_set_is_in(folder) || open_traces(checking, folder);
    struct dirent **entries = NULL;
    int const count = scandir(folder, &entries, NULL, alphasort);
    bool unpacked = false;

    for (int i = 0; i < count; i++) {
        char archive[2 * PATH_BYTES];

        snprintf(archive, sizeof archive, "%s/%s", folder, entries[i]->d_name);
        if (good && (ends_in(entries[i]->d_name, ".tar.gz") || ends_in(entries[i]->d_name, ".tgz"))) {
            good = unpack(archive, temporary);
            unpacked = true;
        }
        free(entries[i]);
    }
    free(entries);
    good = good && (!unpacked || open_traces(checking, temporary));
    for (size_t i = 0; good && i < checking->opened_count; i++)
        add_streams(checking, checking->opened[i],
                    strncmp(checking->opened[i]->path, temporary, strlen(temporary)) == 0 ? temporary : folder);
    drop_doubles(checking);
    if (good && checking->stream_count == 0) {
        complain("%s: holds no MacSim trace", folder);
        good = false;
    }
    return good;
}

static bool check_facts(struct checking *checking, const char *path)
{
    struct scope all = {0};
    json_error_t problem;
    json_t *const facts = json_load_file(path, 0, &problem);
    bool good;

    if (facts == NULL) {
        complain("%s: line %d: %s", path, problem.line, problem.text);
        return false;
    }
    all.count = checking->stream_count;
    all.streams = must(malloc(all.count * sizeof *all.streams));
    for (size_t i = 0; i < all.count; i++)
        all.streams[i] = &checking->streams[i];
    good = check_value(checking, &all, "", "", facts);
    free_scope(&all);
    json_decref(facts);
    if (good && checking->figures == 0)
        complain("%s: holds no figure", path);
    return good && checking->figures > 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static bool check_set(const char *folder, const char *facts, const char *name)
{
    const char *const base = getenv("TMPDIR");
    struct checking checking = {.set = name};
    char temporary[PATH_BYTES];
    bool good;

    snprintf(temporary, sizeof temporary, "%s/macsim-facts.XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    good = mkdtemp(temporary) != NULL;
    if (!good)
        complain("%s: cannot be made", temporary);
    good = good && open_set(&checking, folder, temporary) && check_facts(&checking, facts);
    for (size_t i = 0; i < checking.opened_count; i++) {
        macsim_set_close(checking.opened[i]);
        free(checking.opened[i]);
    }
    free(checking.opened);
    for (size_t i = 0; i < checking.stream_count; i++)
        free(checking.streams[i].path);
    free(checking.streams);
    nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    good = good && !checking.failed && checking.differ == 0;
    printf("%s\tfigures\t%" PRIu64 "\tdiffer\t%" PRIu64 "\t%s\n", name, checking.figures, checking.differ,
           good ? "ok" : "FAILED");
    fflush(stdout);
    return good;
}

static bool is_set(const char *folder, const char *name)
{
    char path[2 * PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return name[0] != '.' && is_there(path, true);
}

static bool is_chosen(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0, skipped = 0;
    struct dirent **entries;
    int count;

    if (argc < 2 || argv[1][0] == '-') {
        complain("Usage: tests/macsim-facts TRACES_DIR [SET...]");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        size_t const length = strlen(argv[i]);

        if (length > 1 && argv[i][length - 1] == '/')
            argv[i][length - 1] = '\0';
        if (!is_set(argv[1], argv[i])) {
            complain("%s/%s: is no set; expected a folder", argv[1], argv[i]);
            return 2;
        }
    }
    count = scandir(argv[1], &entries, NULL, alphasort);
    if (count < 0) {
        complain("%s: cannot be read; expected a folder of sets", argv[1]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        const char *const name = entries[i]->d_name;
        char folder[PATH_BYTES], facts[2 * PATH_BYTES];

        if (is_set(argv[1], name) && is_chosen(name, argv + 2, argc - 2)) {
            snprintf(folder, sizeof folder, "%s/%s", argv[1], name);
            snprintf(facts, sizeof facts, "%s/facts.json", folder);
            if (!is_there(facts, false)) {
                printf("%s\tskipped\tno facts.json\n", name);
                skipped++;
            } else if (check_set(folder, facts, name)) {
                passed++;
            } else {
                failed++;
            }
        }
        free(entries[i]);
    }
    free(entries);
    if (passed + failed + skipped == 0) {
        complain("%s: holds no set; expected folders with a facts.json", argv[1]);
        return 2;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
