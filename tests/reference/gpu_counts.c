/* Compares what our readers count in GPU traces with what an independent script counted.
 *
 *     tests/gpu-counts TRACES_DIR [SET...]
 *
 * A set is a subfolder with an expected.tsv: one line a kernel, meaning of the columns as in the README of
 * ../shared/traces/gpu. One line a set, columns divided by tabs: SET kernels K values V differ D ok|FAILED; the same
 * for SET/grouped if there is a folder grouped/ (without name, hash and size of the files), and SET/l1v reads OURS
 * THEIRS writes OURS THEIRS ok|FAILED if there is a mgpusim-reference.tsv: its L1 vector caches' reads and writes, ours
 * in distinct lines of 64 bytes an instruction; our reads may be more. Values that differ go to stderr: file, column,
 * expected, ours. Then `N passed, N failed`. Exit code 0 if none failed, 1 if any did, 2 for unusable arguments. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/number_map.h"
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"

enum { PATH_BYTES = 4096, VALUE_BYTES = 256, COLUMNS_MAX = 64, LINE_BYTES = 1 << 16, LINES_MAX = 4096 };

/* columns that are counted */
#define COUNTERS(C)                                                                                                   \
    C(tbs) C(warps) C(insts) C(thread_insts) C(mask0) C(mem) C(mode0) C(mode1) C(mode2) C(mem_global) C(lanes_global) \
    C(sect32_global) C(line128_global) C(mem_shared) C(lanes_shared) C(mem_scalar) C(lanes_scalar) C(sect32_scalar)   \
    C(foot32)

#define COUNTER_FIELD(name) uint64_t name;
struct counts {
    char sha256[2 * EVP_MAX_MD_SIZE + 1];
    uint64_t bytes;
    COUNTERS(COUNTER_FIELD)
    uint64_t reads64, writes64;      /* FLAT accesses in distinct lines of 64 bytes */
    struct number_map foot;          /* sectors of 32 bytes */
};

struct run {
    unsigned passed, failed;
};

struct tally {
    uint64_t kernels, values, differ;
    uint64_t reads64, writes64;
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

static bool print_path(char *path, const char *folder, const char *name)
{
    int const length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);

    if (length > 0 && length < PATH_BYTES)
        return true;
    complain("%s: the path is too long", name);
    return false;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t const *const left = a, *const right = b;

    return (*left > *right) - (*left < *right);
}

/* Distinct numbers; the array is sorted. */
static size_t distinct(uint64_t *numbers, size_t count)
{
    size_t kept = 0;

    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

/* Units of 1 << shift bytes that the lanes' [address, address + width) cover; also into a set, if there is one. */
static uint64_t count_units(const uint64_t *addresses, uint64_t lanes, uint64_t width, unsigned shift,
                            struct number_map *set)
{
    static uint64_t units[LINES_MAX * GPU_MAX_LANES];
    size_t count = 0;

    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        uint64_t const address = addresses[__builtin_ctzll(left)];
        uint64_t const last = address + width - 1 < address ? UINT64_MAX : address + width - 1;

        for (uint64_t unit = address >> shift; unit <= last >> shift; unit++)
            units[count++] = unit;
    }
    count = distinct(units, count);
    for (size_t i = 0; set != NULL && i < count; i++)
        number_map_add(set, units[i]);
    return count;
}

/* Lines of 64 bytes that the lanes' words of 4 bytes lie in. */
static uint64_t count_lines64(const uint64_t *addresses, uint64_t lanes, uint64_t width)
{
    static uint64_t lines[LINES_MAX * GPU_MAX_LANES];
    size_t count = 0;

    for (uint64_t left = lanes; left != 0; left &= left - 1)
        for (uint64_t word = 0; word < width; word += 4)
            lines[count++] = (addresses[__builtin_ctzll(left)] + word) >> 6;
    return distinct(lines, count);
}

static bool is_one_of(const char *token, size_t length, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strlen(*names) == length && memcmp(*names, token, length) == 0)
            return true;
    return false;
}

enum kind { GLOBAL, SHARED, SCALAR, OTHER };

/* By the names that the README gives, not by our classification. */
static enum kind kind_of(const char *text, enum gpu_isa isa)
{
    static const char *const global[] = {"LDG", "STG", "ATOM", "ATOMG", "RED", "LDGSTS", NULL};
    static const char *const shared[] = {"LDS", "STS", "ATOMS", "LDSM", NULL};
    size_t const length = strcspn(text, ".");

    if (isa == GPU_ISA_GCN3)
        return strncasecmp(text, "FLAT_", 5) == 0 ? GLOBAL : strncasecmp(text, "DS_", 3) == 0 ? SHARED
            : strncasecmp(text, "S_LOAD", 6) == 0 || strncasecmp(text, "S_BUFFER", 8) == 0 ? SCALAR : OTHER;
    return is_one_of(text, length, global) ? GLOBAL : is_one_of(text, length, shared) ? SHARED : OTHER;
}

static void count_access(struct counts *counts, const struct gpu_kernel *kernel, const struct gpu_block *block,
                         const struct gpu_inst *inst)
{
    const struct gpu_static *const fixed = &kernel->statics[inst->index];
    const char *const text = kernel->opcodes[fixed->opcode].text;
    enum kind const kind = kind_of(text, kernel->header.isa);
    uint64_t addresses[GPU_MAX_LANES];
    uint64_t const lanes = gpu_inst_addresses(block, inst, kind == SCALAR, addresses);
    uint64_t const width = fixed->traced_width, given = (uint64_t)__builtin_popcountll(lanes);

    counts->mem++;
    counts->mode0 += inst->mode == GPU_ADDRESS_LIST;
    counts->mode1 += inst->mode == GPU_ADDRESS_STRIDE;
    counts->mode2 += inst->mode == GPU_ADDRESS_DELTAS;
    switch (kind) {
    case GLOBAL:
        counts->mem_global++;
        counts->lanes_global += given;
        counts->sect32_global += count_units(addresses, lanes, width, 5, &counts->foot);
        counts->line128_global += count_units(addresses, lanes, width, 7, NULL);
        if (strncasecmp(text, "FLAT_LOAD", 9) == 0)
            counts->reads64 += count_lines64(addresses, lanes, width);
        else if (strncasecmp(text, "FLAT_STORE", 10) == 0)
            counts->writes64 += count_lines64(addresses, lanes, width);
        break;
    case SHARED:
        counts->mem_shared++;
        counts->lanes_shared += given;
        break;
    case SCALAR:
        counts->mem_scalar++;
        counts->lanes_scalar += given;
        counts->sect32_scalar += count_units(addresses, lanes, width, 5, &counts->foot);
        break;
    case OTHER: break;
    }
}

static void count_block(struct counts *counts, const struct gpu_kernel *kernel, const struct gpu_block *block)
{
    uint64_t const before = counts->insts;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct gpu_warp_list *const warp = &block->warps[w];

        counts->warps += warp->count > 0;
        counts->insts += warp->count;
        for (const struct gpu_inst *inst = warp->insts; inst < warp->insts + warp->count; inst++) {
            counts->thread_insts += (uint64_t)__builtin_popcountll(inst->mask);
            counts->mask0 += inst->mask == 0;
            if (kernel->statics[inst->index].traced_width != 0)
                count_access(counts, kernel, block, inst);
        }
    }
    counts->tbs += counts->insts > before;
}

static bool count_kernel(struct counts *counts, struct gpu_kernel *kernel)
{
    struct gpu_block *block;
    struct fault error;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, &error)) == GPU_BLOCK) {
        count_block(counts, kernel, block);
        gpu_block_free(block);
    }
    counts->foot32 = counts->foot.count;
    if (step == GPU_FAILED)
        complain("%s", fault_text(error));
    else if (counts->foot.failed)
        complain("%s: out of memory", kernel->file);
    return step == GPU_NO_BLOCK && !counts->foot.failed;
}

/* Hash and size of the text. */
static bool hash_file(struct counts *counts, const char *path)
{
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    unsigned char hash[EVP_MAX_MD_SIZE];
    struct fault error;
    struct stream stream;
    enum stream_status status;
    unsigned length;

    if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1
        || FAILS(error, stream_open(&stream, &(struct stream_source){.path = path, .unpacks_all = true}))) {
        complain("%s: cannot be hashed", path);
        EVP_MD_CTX_free(context);
        return false;
    }
    do {
        status = stream_need(&stream, 1, &error);
        EVP_DigestUpdate(context, stream.next, (size_t)(stream.end - stream.next));
        counts->bytes += (uint64_t)(stream.end - stream.next);
        stream.next = stream.end;
    } while (status == STREAM_OK);
    stream_close(&stream);
    EVP_DigestFinal_ex(context, hash, &length);
    EVP_MD_CTX_free(context);
    for (unsigned i = 0; i < length; i++)
        snprintf(counts->sha256 + 2 * i, 3, "%02x", hash[i]);
    if (status == STREAM_FAILED)
        complain("%s", fault_text(error));
    return status == STREAM_SHORT;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* expected.tsv, line by line. */
struct expected {
    char *text;
    char *lines[LINES_MAX];          /* the first names the columns */
    size_t count;
    char *columns[COLUMNS_MAX];
    size_t column_count;
};

static size_t split(char *line, char **columns)
{
    size_t count = 0;

    for (char *at = line; at != NULL && count < COLUMNS_MAX;) {
        char *const tab = strchr(at, '\t');

        columns[count++] = at;
        if (tab != NULL)
            *tab = '\0';
        at = tab != NULL ? tab + 1 : NULL;
    }
    return count;
}

static char *read_text(const char *path)
{
    FILE *const file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0, got;

    if (file == NULL)
        return NULL;
    do {
        char *const grown = realloc(text, size + LINE_BYTES + 1);

        if (grown == NULL)
            break;
        text = grown;
        got = fread(text + size, 1, LINE_BYTES, file);
        size += got;
        text[size] = '\0';
    } while (got > 0);
    fclose(file);
    return text;
}

static bool read_expected(struct expected *expected, const char *folder)
{
    char path[PATH_BYTES];

    *expected = (struct expected){0};
    if (!print_path(path, folder, "expected.tsv"))
        return false;
    expected->text = read_text(path);
    if (expected->text == NULL) {
        complain("%s: cannot be read", path);
        return false;
    }
    for (char *at = expected->text; *at != '\0' && expected->count < LINES_MAX;) {
        char *const end = at + strcspn(at, "\r\n");
        char *const next = end + strspn(end, "\r\n");

        *end = '\0';
        if (*at != '\0')
            expected->lines[expected->count++] = at;
        at = next;
    }
    expected->column_count = expected->count > 0 ? split(expected->lines[0], expected->columns) : 0;
    if (expected->count >= 2 && strcmp(expected->columns[0], "file") == 0)
        return true;
    complain("%s: expected a first line that begins with \"file\", and kernels below it", path);
    return false;
}

/* A name's length without .xz, .gz, and the g of .traceg, so that both layouts have the same. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);

    if (length > 3 && (strcmp(name + length - 3, ".xz") == 0 || strcmp(name + length - 3, ".gz") == 0))
        length -= 3;
    return length > 7 && memcmp(name + length - 7, ".traceg", 7) == 0 ? length - 1 : length;
}

static bool same_stem(const char *a, const char *b)
{
    size_t const length = stem_length(a);

    return length == stem_length(b) && memcmp(a, b, length) == 0;
}

/* The name as expected.tsv has it. */
static void bare_name(const char *name, char *value)
{
    size_t length = strlen(name);

    if (length > 3 && (strcmp(name + length - 3, ".xz") == 0 || strcmp(name + length - 3, ".gz") == 0))
        length -= 3;
    snprintf(value, VALUE_BYTES, "%.*s", (int)length, name);
}

static void print_three(const uint32_t numbers[3], char *value)
{
    snprintf(value, VALUE_BYTES, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", numbers[0], numbers[1], numbers[2]);
}

/* Our value of a column; false if we have no such. */
static bool value_of(const char *column, const char *file, const struct gpu_header *header,
                     const struct counts *counts, char *value)
{
#define COUNTER_VALUE(name)                                                                                           \
    if (strcmp(column, #name) == 0) {                                                                                 \
        snprintf(value, VALUE_BYTES, "%" PRIu64, counts->name);                                                       \
        return true;                                                                                                  \
    }
    COUNTERS(COUNTER_VALUE)
    if (strcmp(column, "file") == 0)
        bare_name(file, value);
    else if (strcmp(column, "sha256_uncompressed") == 0)
        snprintf(value, VALUE_BYTES, "%s", counts->sha256);
    else if (strcmp(column, "bytes_uncompressed") == 0)
        snprintf(value, VALUE_BYTES, "%" PRIu64, counts->bytes);
    else if (strcmp(column, "binary_version") == 0)
        snprintf(value, VALUE_BYTES, "%" PRIu32, header->binary_version);
    else if (strcmp(column, "tracer_version") == 0)
        snprintf(value, VALUE_BYTES, "%s", header->tracer_version);
    else if (strcmp(column, "grid") == 0)
        print_three(header->grid, value);
    else if (strcmp(column, "block") == 0)
        print_three(header->block, value);
    else if (strcmp(column, "shmem") == 0)
        snprintf(value, VALUE_BYTES, "%" PRIu64, header->shmem_bytes);
    else if (strcmp(column, "nregs") == 0)
        snprintf(value, VALUE_BYTES, "%" PRIu32, header->nregs);
    else
        return false;
    return true;
}

static bool is_of_file(const char *column)
{
    return strcmp(column, "file") == 0 || strcmp(column, "sha256_uncompressed") == 0
        || strcmp(column, "bytes_uncompressed") == 0;
}

static void compare(struct tally *tally, const struct expected *expected, char **wanted, size_t wanted_count,
                    const char *file, const struct gpu_header *header, const struct counts *counts, bool is_grouped)
{
    for (size_t i = 0; i < expected->column_count; i++) {
        const char *const column = expected->columns[i], *const want = i < wanted_count ? wanted[i] : "";
        char value[VALUE_BYTES] = "?";

        if (is_grouped && is_of_file(column))
            continue;
        tally->values++;
        if (value_of(column, file, header, counts, value) && strcmp(value, want) == 0)
            continue;
        tally->differ++;
        complain("%s\t%s\t%s\t%s", file, column, want, value);
    }
}

/* Counts a kernel and compares it with its line, which is split by this. */
static bool check_kernel(struct tally *tally, const struct expected *expected, char *line, const char *folder,
                         const char *file, bool is_grouped)
{
    struct counts counts = {0};
    struct gpu_kernel kernel;
    struct fault error;
    char *wanted[COLUMNS_MAX];
    size_t const wanted_count = split(line, wanted);
    bool good;

    if (FAILS(error, gpu_kernel_open(&kernel, folder, file))) {
        complain("%s", fault_text(error));
        return false;
    }
    good = count_kernel(&counts, &kernel) && (is_grouped || hash_file(&counts, kernel.file));
    for (size_t i = 0; i < kernel.warning_count; i++)
        complain("%s", kernel.warnings[i]);
    if (good) {
        tally->kernels++;
        tally->reads64 += counts.reads64;
        tally->writes64 += counts.writes64;
        compare(tally, expected, wanted, wanted_count, file, &kernel.header, &counts, is_grouped);
    }
    number_map_free(&counts.foot);
    gpu_kernel_close(&kernel);
    return good;
}

/* The line of a kernel's file; each is given once. */
static char *take_line(struct expected *expected, const char *file, bool is_grouped)
{
    for (size_t i = 1; i < expected->count; i++) {
        char name[VALUE_BYTES], bare[VALUE_BYTES];
        char *const line = expected->lines[i];

        if (line == NULL)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\t"), line);
        bare_name(file, bare);
        if (is_grouped ? same_stem(name, file) : strcmp(name, bare) == 0) {
            expected->lines[i] = NULL;
            return line;
        }
    }
    return NULL;
}

/* All kernels of a folder's list, all lines of the set's expected.tsv. */
static bool check_folder(struct tally *tally, const char *set_folder, const char *folder, bool is_grouped)
{
    struct expected expected;
    struct gpu_list list = {0};
    struct fault error;
    bool good = read_expected(&expected, set_folder);

    if (good && FAILS(error, gpu_list_open(&list, folder))) {
        complain("%s", fault_text(error));
        good = false;
    }
    for (size_t i = 0; i < list.warning_count; i++)
        complain("%s", list.warnings[i]);
    for (size_t i = 0; good && i < list.count; i++) {
        char *line;

        if (list.commands[i].kind != GPU_KERNEL)
            continue;
        line = take_line(&expected, list.commands[i].file, is_grouped);
        if (line == NULL) {
            complain("%s\tfile\t\t%s", list.path, list.commands[i].file);
            tally->differ++;
            continue;
        }
        good = check_kernel(tally, &expected, line, list.folder, list.commands[i].file, is_grouped);
    }
    for (size_t i = 1; good && i < expected.count; i++)
        if (expected.lines[i] != NULL) {
            complain("%s\tfile\t%.*s\t", folder, (int)strcspn(expected.lines[i], "\t"), expected.lines[i]);
            tally->differ++;
        }
    gpu_list_close(&list);
    free(expected.text);
    return good;
}

/* --- sets --------------------------------------------------------------------------------------------------------- */

static void count_result(struct run *run, bool good)
{
    run->passed += good;
    run->failed += !good;
    puts(good ? "\tok" : "\tFAILED");
    fflush(stdout);
}

static bool check_layout(struct run *run, struct tally *tally, const char *name, const char *set_folder,
                         const char *folder, bool is_grouped)
{
    bool const good = check_folder(tally, set_folder, folder, is_grouped);

    printf("%s%s\tkernels\t%" PRIu64 "\tvalues\t%" PRIu64 "\tdiffer\t%" PRIu64, name, is_grouped ? "/grouped" : "",
           tally->kernels, tally->values, tally->differ);
    count_result(run, good && tally->differ == 0);
    return good;
}

/* Sum of the lines "L1VCache <way>-hit N" and "-miss". */
static bool sum_reference(char *text, const char *way, uint64_t *sum)
{
    unsigned met = 0;

    *sum = 0;
    for (char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char component[64], metric[64];
        uint64_t number;

        if (sscanf(line, "%63[^\t\n]\t%63[^\t\n]\t%" SCNu64, component, metric, &number) != 3
            || strcmp(component, "L1VCache") != 0 || strncmp(metric, way, strlen(way)) != 0
            || (strcmp(metric + strlen(way), "-hit") != 0 && strcmp(metric + strlen(way), "-miss") != 0))
            continue;
        *sum += number;
        met++;
    }
    return met == 2;
}

static void check_l1v(struct run *run, const struct tally *tally, const char *name, const char *path, bool is_counted)
{
    uint64_t reads = 0, writes = 0;
    char *const text = read_text(path);
    bool const is_read = text != NULL && sum_reference(text, "read", &reads) && sum_reference(text, "write", &writes);

    free(text);
    if (!is_read)
        complain("%s: expected lines of L1VCache read-hit, read-miss, write-hit and write-miss", path);
    else if (tally->reads64 != reads)
        complain("%s/l1v\treads\t%" PRIu64 "\t%" PRIu64 "\tdifference %+" PRId64, name, reads, tally->reads64,
                 (int64_t)(tally->reads64 - reads));
    printf("%s/l1v\treads\t%" PRIu64 "\t%" PRIu64 "\twrites\t%" PRIu64 "\t%" PRIu64, name, tally->reads64, reads,
           tally->writes64, writes);
    count_result(run, is_read && is_counted && tally->reads64 >= reads && tally->writes64 == writes);
}

static bool is_there(const char *path, bool is_folder)
{
    struct stat about;

    return stat(path, &about) == 0 && (bool)S_ISDIR(about.st_mode) == is_folder;
}

static void check_set(struct run *run, const char *folder, const char *name)
{
    struct tally raw = {0}, grouped = {0};
    char set[PATH_BYTES], path[PATH_BYTES];
    bool good;

    if (!print_path(set, folder, name)) {
        run->failed++;
        return;
    }
    good = check_layout(run, &raw, name, set, set, false);
    if (print_path(path, set, "grouped") && is_there(path, true))
        check_layout(run, &grouped, name, set, path, true);
    if (print_path(path, set, "mgpusim-reference.tsv") && is_there(path, false))
        check_l1v(run, &raw, name, path, good);
}

static bool is_set(const char *folder, const char *name)
{
    char path[2 * PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s/expected.tsv", folder, name);
    return name[0] != '.' && is_there(path, false);
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
    struct run run = {0};
    struct dirent **entries;
    int count;

    if (argc < 2 || argv[1][0] == '-') {
        complain("Usage: tests/gpu-counts TRACES_DIR [SET...]");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        size_t const length = strlen(argv[i]);

        if (length > 1 && argv[i][length - 1] == '/')
            argv[i][length - 1] = '\0';
        if (!is_set(argv[1], argv[i])) {
            complain("%s/%s: is no set; expected a folder with an expected.tsv", argv[1], argv[i]);
            return 2;
        }
    }
    count = scandir(argv[1], &entries, NULL, alphasort);
    if (count < 0) {
        complain("%s: cannot be read; expected a folder of sets", argv[1]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        if (is_set(argv[1], entries[i]->d_name) && is_chosen(entries[i]->d_name, argv + 2, argc - 2))
            check_set(&run, argv[1], entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (run.passed + run.failed == 0) {
        complain("%s: holds no set; expected folders with an expected.tsv", argv[1]);
        return 2;
    }
    printf("%u passed, %u failed\n", run.passed, run.failed);
    return run.failed > 0;
}
