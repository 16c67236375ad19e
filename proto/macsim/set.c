/* From a path to applications, kernels and streams. Headers are read first, then those that a list names are removed,
 * so that each header is in the set once. Not done: Trace_info.txt, which real sets lack or have wrong (macsim-traces
 * 1). */
#include "proto/macsim/set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/list.h"
#include "base/path.h"
#include "proto/gpu/gpu_text.h"

enum { DEPTH_MAX = 16, LOOK_BYTES = 4096, SOURCES_MAX = 64 };

struct entry {
    struct macsim_header header;
    dev_t device;
    ino_t inode;
    bool taken;                          /* by a list, or by the set */
};

struct opening {
    struct macsim_set *set;
    const struct macsim_override *override;
    struct entry *entries;               /* of a folder */
    size_t count, room;
    struct macsim_part *loose;           /* streams of folders without a header */
    size_t loose_count;
    struct gpu_warnings warnings;
    struct fault *error;
};

static bool set_is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* A file that cannot be read is none; only memory that is out is a fault. */
static struct fault look_for_header(const char *path, bool *is_one)
{
    struct fault found = fault_none();
    struct stream_source const source = {.path = path, .parks = true};
    struct fault fault = fault_none();
    struct stream stream;

    *is_one = false;
    input_file_look_begin();
    if (WORKS(fault, stream_open(&stream, &source))) {
        *is_one = stream_need(&stream, LOOK_BYTES, &fault) != STREAM_FAILED
            && macsim_header_detect((const char *)stream.next, (size_t)(stream.end - stream.next));
        stream_close(&stream);
    }
    input_file_look_end();
    if (fault.kind == FAULT_MEMORY)
        found = fault;
    return fault.kind != FAULT_MEMORY ? fault_none() : found;
}

/* ---- streams by their names */

/* The position of '_' in "<base>_<id>.raw"; NULL: another name. */
static const char *id_of(const char *path, uint64_t *id)
{
    const char *const name = path_name(path);
    const char *const mark = strrchr(name, '_');
    size_t digits;

    if (mark == NULL || mark == name || !text_ends_in(name, ".raw"))
        return NULL;
    digits = strspn(mark + 1, "0123456789");
    if (digits == 0 || digits > 18 || strcmp(mark + 1 + digits, ".raw") != 0)
        return NULL;
    *id = strtoull(mark + 1, NULL, 10);
    return mark;
}

static void free_part(struct macsim_part *part)
{
    macsim_header_free(&part->header);
}

/* The part of streams with this base, created if missing. NULL: out of memory. */
static struct macsim_part *loose_part(struct opening *opening, const char *path, size_t base)
{
    struct macsim_part *part;

    for (size_t i = 0; i < opening->loose_count; i++)
        if (strncmp(opening->loose[i].header.base, path, base) == 0 && opening->loose[i].header.base[base] == '\0')
            return &opening->loose[i];
    if (!list_fit_next(&opening->loose, opening->loose_count, sizeof *opening->loose))
        return NULL;
    part = &opening->loose[opening->loose_count];
    *part = (struct macsim_part){.header = {.path = strdup(""), .base = strndup(path, base)}};
    if (part->header.path == NULL || part->header.base == NULL) {
        free_part(part);
        return NULL;
    }
    opening->loose_count++;
    return part;
}

static bool add_thread(struct macsim_header *header, uint64_t id)
{
    if (!list_fit_next(&header->threads, header->thread_count, sizeof *header->threads))
        return false;
    header->threads[header->thread_count++] = (struct macsim_thread){id, 0};
    return true;
}

static bool add_loose(struct opening *opening, const char *path)
{
    uint64_t id;
    const char *const mark = id_of(path, &id);
    struct macsim_part *part;

    if (mark == NULL)
        return true;
    part = loose_part(opening, path, (size_t)(mark - path));
    return (part != NULL && add_thread(&part->header, id)) || WORKS(*opening->error, fault_memory(path, NULL));
}

static int compare_threads(const void *a, const void *b)
{
    struct macsim_thread const *const left = a, *const right = b;

    return (left->id > right->id) - (left->id < right->id);
}

/* ---- folders */

static bool add_entry(struct opening *opening, const char *path)
{
    struct entry *entry;
    struct stat about;

    if (!list_fit(&opening->entries, opening->count + 1, &opening->room, sizeof *opening->entries))
        return WORKS(*opening->error, fault_memory(path, NULL));
    entry = &opening->entries[opening->count];
    *entry = (struct entry){.taken = false};
    if (stat(path, &about) == 0) {
        entry->device = about.st_dev;
        entry->inode = about.st_ino;
    }
    if (FAILS(*opening->error, macsim_header_read(&entry->header, path)))
        return false;
    opening->count++;
    return true;
}

static bool is_header_name(const char *name)
{
    return text_ends_in(name, ".txt") || strncmp(name, "trace_file_list", 15) == 0;
}

struct names {
    char **items;
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
}

/* Paths of a folder's entries, sorted. */
static struct fault list_folder(const char *folder, struct names *names)
{
    bool const slash = !text_ends_in(folder, "/");
    DIR *const directory = opendir(folder);
    size_t room = 0;
    bool good = true;

    *names = (struct names){0};
    if (directory == NULL)
        return fault_at(folder, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    for (struct dirent *found; good && (found = readdir(directory)) != NULL;) {
        size_t const length = strlen(folder) + strlen(found->d_name) + 2;

        if (found->d_name[0] == '.')
            continue;
        good = list_fit(&names->items, names->count + 1, &room, sizeof *names->items)
            && (names->items[names->count] = malloc(length)) != NULL;
        if (good)
            snprintf(names->items[names->count++], length, "%s%s%s", folder, slash ? "/" : "", found->d_name);
    }
    closedir(directory);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    if (!good)
        free_names(names);
    return good ? fault_none() : fault_memory(folder, NULL);
}

static uint64_t promised(const struct opening *opening, size_t from)
{
    uint64_t streams = 0;

    for (size_t i = from; i < opening->count; i++)
        streams += opening->entries[i].header.thread_count;
    return streams;
}

/* Streams of a folder: its headers name them, or there is no header. The NVBit tool's uncompressed ones are copies. */
static bool take_streams(struct opening *opening, const char *folder, const struct names *names, size_t first_entry)
{
    uint64_t const named = promised(opening, first_entry);
    uint64_t streams = 0, id;

    for (size_t i = 0; i < names->count; i++) {
        const char *const name = path_name(names->items[i]);

        if (id_of(names->items[i], &id) == NULL || path_is_folder(names->items[i])
            || (named > 0 && strncmp(name, "bin_trace_", 10) == 0))
            continue;
        streams++;
        if (named == 0 && !add_loose(opening, names->items[i]))
            return false;
    }
    if (named > 0 && streams > named)
        gpu_warn(&opening->warnings, folder, 0, "holds %" PRIu64 " streams, of which its headers name %" PRIu64 "; the "
                 "others are left out", streams, named);
    return true;
}

/* Is a stream of the header's name among them? */
static bool has_streams(const struct names *names, const char *header)
{
    size_t const base = (size_t)(strrchr(header, '.') - header);
    uint64_t id;

    for (size_t i = 0; i < names->count; i++) {
        const char *const mark = id_of(names->items[i], &id);

        if (mark != NULL && (size_t)(mark - names->items[i]) == base && strncmp(names->items[i], header, base) == 0)
            return true;
    }
    return false;
}

/* A text of a folder that begins like a header. Without streams of its name it may be prose or a table, too. */
static bool add_text(struct opening *opening, const struct names *names, const char *path)
{
    if (add_entry(opening, path))
        return true;
    if (!text_ends_in(path, ".txt") || strcmp(path_name(path), "kernel_config.txt") == 0 || has_streams(names, path))
        return false;
    return gpu_warn(&opening->warnings, path, 0, "begins like a header, but is none; left out (%s)",
                    fault_text(*opening->error)), true;
}

static bool walk(struct opening *opening, const char *folder, int depth)
{
    size_t const first = opening->count;
    struct names names;
    bool good;

    if (depth > DEPTH_MAX)
        return WORKS(*opening->error, fault_at(folder, FAULT_NO_OFFSET, "is more than %d folders deep; name a "
                                               "folder further down", DEPTH_MAX));
    if (FAILS(*opening->error, list_folder(folder, &names)))
        return false;
    good = true;
    for (size_t i = 0; good && i < names.count; i++) {
        bool is_one = false;

        if (is_header_name(path_name(names.items[i])) && !path_is_folder(names.items[i]))
            good = WORKS(*opening->error, look_for_header(names.items[i], &is_one));
        if (is_one)
            good = add_text(opening, &names, names.items[i]);
    }
    good = good && take_streams(opening, folder, &names, first);
    for (size_t i = 0; good && i < names.count; i++)
        if (!text_ends_in(names.items[i], ".raw") && path_is_folder(names.items[i]))
            good = walk(opening, names.items[i], depth + 1);
    free_names(&names);
    return good;
}

/* Entries that a list names belong to it. */
static void take_named(struct opening *opening, const struct macsim_header *list)
{
    for (size_t p = 0; p < list->path_count; p++) {
        struct stat about;

        if (stat(list->paths[p], &about) != 0)
            continue;
        for (size_t i = 0; i < opening->count; i++) {
            struct entry *const entry = &opening->entries[i];

            if (entry->device == about.st_dev && entry->inode == about.st_ino && &entry->header != list)
                entry->taken = true;
        }
    }
}

/* ---- applications */

static struct macsim_application *add_application(struct opening *opening, const char *path, bool is_gpu)
{
    struct macsim_set *const set = opening->set;
    char *const copy = strdup(path);

    if (copy == NULL || !list_fit_next(&set->applications, set->application_count, sizeof *set->applications)) {
        free(copy);
        *opening->error = fault_memory(path, NULL);
        return NULL;
    }
    set->applications[set->application_count] = (struct macsim_application){.path = copy, .is_gpu = is_gpu};
    return &set->applications[set->application_count++];
}

/* All streams that a header promises. */
static struct fault check_streams(const struct macsim_part *part)
{
    char path[MACSIM_PATH_MAX], first[MACSIM_PATH_MAX] = "";
    size_t missing = 0;

    for (size_t i = 0; i < part->header.thread_count; i++) {
        if (!macsim_part_path(part, i, path))
            return macsim_long_path(part);
        if (set_is_there(path))
            continue;
        if (missing++ == 0)
            memcpy(first, path, sizeof first);
    }
    if (missing == 0)
        return fault_none();
    return fault_at(part->header.path, FAULT_NO_OFFSET, "the header promises %zu threads, but the streams of %zu are "
                    "not there, first %s; expected <name of the header without .txt>_<id>.raw for each",
                    part->header.thread_count, missing, path_name(first));
}

static uint32_t count_warps(const struct macsim_header *header)
{
    uint32_t warps = 0;

    while (warps < header->thread_count
           && macsim_block_of(header->threads[warps].id) == macsim_block_of(header->threads[0].id))
        warps++;
    return warps;
}

/* path: room for the name that errors have; of a pack's stream the pack's, with the stream's behind it. */
static struct macsim_source source_of(const struct macsim_part *part, size_t index, char path[MACSIM_PATH_MAX])
{
    struct macsim_source source = {.path = path, .parks = part->is_gpu || part->header.thread_count > 16};

    if (!macsim_part_path(part, index, path))
        path[0] = '\0';
    if (part->packed != NULL) {
        char stream[MACSIM_PATH_MAX / 2];

        snprintf(stream, sizeof stream, "%s", path_name(path));
        snprintf(path, MACSIM_PATH_MAX, "%.*s: %s", MACSIM_PATH_MAX / 2 - 3, part->packed->pack, stream);
        source.data = part->packed->streams[index].data;
        source.size = part->packed->streams[index].size;
    }
    return source;
}

static bool detect_format(struct opening *opening, struct macsim_part *part)
{
    size_t const threads = part->header.thread_count, count = threads < SOURCES_MAX ? threads : SOURCES_MAX;
    struct macsim_source *const sources = calloc(count, sizeof *sources);
    char (*const paths)[MACSIM_PATH_MAX] = malloc(count * sizeof *paths);
    bool good = sources != NULL && paths != NULL;

    if (!good)
        *opening->error = fault_memory(part->header.path, NULL);
    for (size_t i = 0; good && i < count; i++)
        sources[i] = source_of(part, i, paths[i]);
    good = good
           && WORKS(*opening->error, macsim_detect(&part->detection, sources, count,
                                                   part->has_header ? &part->header : NULL, opening->override));
    if (good && part->detection.warning[0] != '\0')
        gpu_warn(&opening->warnings, part->has_header ? part->header.path : paths[0], 0, "%s",
                 part->detection.warning);
    free(sources);
    free(paths);
    return good;
}

static void keep_warnings(struct opening *opening, const struct macsim_header *header)
{
    for (size_t i = 0; i < header->warning_count; i++)
        gpu_warn(&opening->warnings, header->path, 0, "%s", header->warnings[i]);
}

/* GPU: when the kernel's blocks are found. */
static struct fault check_ids(const struct macsim_header *header)
{
    struct fault fault = fault_none();
    size_t const count = header->thread_count;
    struct macsim_thread *const threads = malloc(count * sizeof *threads);
    bool good = true;

    if (threads == NULL)
        return fault_memory(header->path, NULL);
    memcpy(threads, header->threads, count * sizeof *threads);
    qsort(threads, count, sizeof *threads, compare_threads);
    for (size_t i = 1; good && i < count; i++)
        if (threads[i].id == threads[i - 1].id)
            good = WORKS(fault, fault_at(header->path, FAULT_NO_OFFSET, "thread %" PRIu64 " occurs twice; expected "
                                         "each id once", threads[i].id));
    free(threads);
    return good ? fault_none() : fault;
}

/* Takes ownership of the contents of *part; frees them on failure. */
static bool set_add_part(struct opening *opening, struct macsim_application *application, struct macsim_part *part)
{
    keep_warnings(opening, &part->header);
    if ((part->packed == NULL && FAILS(*opening->error, check_streams(part))) || !detect_format(opening, part)) {
        free_part(part);
        return false;
    }
    if (part->packed != NULL && opening->override == NULL)
        part->detection.format = part->packed->format;
    part->is_gpu = part->detection.format.is_gpu;
    part->warps_per_block = part->is_gpu ? count_warps(&part->header) : 0;
    if (!part->is_gpu && FAILS(*opening->error, check_ids(&part->header))) {
        free_part(part);
        return false;
    }
    if (!list_fit_next(&application->parts, application->part_count, sizeof *part)) {
        free_part(part);
        return WORKS(*opening->error, fault_memory(application->path, NULL));
    }
    application->parts[application->part_count++] = *part;
    application->is_gpu = part->is_gpu;
    return true;
}

static bool read_named(struct opening *opening, const struct macsim_header *list, size_t index,
                       struct macsim_header *header)
{
    const char *const path = list->paths[index];

    if (!set_is_there(path))
        return WORKS(*opening->error, fault_at(list->path, FAULT_NO_OFFSET, "names %s, which is not there, neither as "
                                               "it stands nor in the list's folder by its last two components; move "
                                               "the trace there", path));
    return WORKS(*opening->error, macsim_header_read(header, path));
}

static bool add_kernels(struct opening *opening, const struct macsim_header *list)
{
    struct macsim_application *const application = add_application(opening, list->path, true);

    if (application == NULL)
        return false;
    for (size_t i = 0; i < list->path_count; i++) {
        struct macsim_part part = {.has_header = true};

        if (!read_named(opening, list, i, &part.header))
            return false;
        if (part.header.form != MACSIM_THREADS) {
            free_part(&part);
            return WORKS(*opening->error, fault_at(list->path, FAULT_NO_OFFSET, "names %s as a kernel, which is a "
                                                   "list itself; expected a kernel's header", list->paths[i]));
        }
        if (!set_add_part(opening, application, &part))
            return false;
    }
    return true;
}

/* Takes ownership of the contents of *header. */
static bool add_header(struct opening *opening, struct macsim_header *header)
{
    struct macsim_application *application;
    struct macsim_part part = {.has_header = true};
    bool good;

    if (header->form == MACSIM_KERNEL_LIST) {
        keep_warnings(opening, header);
        good = add_kernels(opening, header);
        macsim_header_free(header);
        return good;
    }
    application = add_application(opening, header->path, macsim_kind_is_gpu(header->kind));
    part.header = *header;
    *header = (struct macsim_header){0};
    if (application == NULL) {
        free_part(&part);
        return false;
    }
    return set_add_part(opening, application, &part);
}

static bool add_traces(struct opening *opening, const struct macsim_header *list)
{
    for (size_t i = 0; i < list->path_count; i++) {
        struct macsim_header header;

        if (!read_named(opening, list, i, &header))
            return false;
        if (header.form == MACSIM_TRACE_LIST) {
            macsim_header_free(&header);
            return WORKS(*opening->error, fault_at(list->path, FAULT_NO_OFFSET, "names %s, which is a list of traces "
                                                   "itself; expected headers and lists of kernels", list->paths[i]));
        }
        if (!add_header(opening, &header))
            return false;
    }
    return true;
}

static bool add_any(struct opening *opening, struct macsim_header *header)
{
    bool good;

    if (header->form != MACSIM_TRACE_LIST)
        return add_header(opening, header);
    keep_warnings(opening, header);
    good = add_traces(opening, header);
    macsim_header_free(header);
    return good;
}

/* ---- named paths */

static bool open_folder(struct opening *opening, const char *path)
{
    if (!walk(opening, path, 0))
        return false;
    if (opening->count == 0 && opening->loose_count == 0)
        return WORKS(*opening->error, fault_at(path, FAULT_NO_OFFSET, "holds no MacSim trace; expected a header such "
                                               "as Trace.txt or kernel_config.txt, or streams named <base>_<id>.raw"));
    for (size_t i = 0; i < opening->count; i++)
        take_named(opening, &opening->entries[i].header);
    for (size_t i = 0; i < opening->count; i++)
        if (!opening->entries[i].taken && !add_any(opening, &opening->entries[i].header))
            return false;
    for (size_t i = 0; i < opening->loose_count; i++) {
        struct macsim_part *const part = &opening->loose[i];
        struct macsim_application *const application = add_application(opening, part->header.base, false);
        struct macsim_part given = *part;

        *part = (struct macsim_part){0};
        qsort(given.header.threads, given.header.thread_count, sizeof given.header.threads[0], compare_threads);
        if (application == NULL) {
            free_part(&given);
            return false;
        }
        if (!set_add_part(opening, application, &given))
            return false;
    }
    return true;
}

/* The header of a stream that was named, with this thread alone: <base>.txt beside it, if it names the stream. */
static bool find_header(const char *path, struct macsim_header *header)
{
    struct fault ignored;
    bool is_one;
    uint64_t id;
    const char *const mark = id_of(path, &id);
    char name[MACSIM_PATH_MAX];

    if (mark == NULL || (size_t)snprintf(name, sizeof name, "%.*s.txt", (int)(mark - path), path) >= sizeof name
        || !set_is_there(name) || look_for_header(name, &is_one).kind != FAULT_NONE || !is_one
        || FAILS(ignored, macsim_header_read(header, name)))
        return false;
    for (size_t i = 0; i < header->thread_count; i++)
        if (header->threads[i].id == id) {
            header->threads[0] = header->threads[i];
            header->thread_count = 1;
            return true;
        }
    macsim_header_free(header);
    return false;
}

static bool open_stream(struct opening *opening, const char *path)
{
    struct macsim_part part = {.has_header = true};
    struct macsim_application *application;
    uint64_t id = 0;

    if (!find_header(path, &part.header)) {
        id_of(path, &id);
        part = (struct macsim_part){.is_stream = true, .header = {.path = strdup(""), .base = strdup(path)}};
        if (part.header.path == NULL || part.header.base == NULL || !add_thread(&part.header, id)) {
            free_part(&part);
            return WORKS(*opening->error, fault_memory(path, NULL));
        }
    }
    application = add_application(opening, path, false);
    if (application == NULL) {
        free_part(&part);
        return false;
    }
    return set_add_part(opening, application, &part);
}

/* An application of a pack. */
static bool open_packed(struct opening *opening, const struct macsim_packed_part *packed)
{
    struct macsim_part part = {.packed = packed, .has_header = packed->header[0] != '\0'};
    struct macsim_application *application;
    bool good = true;

    if (part.has_header) {
        good = WORKS(*opening->error,
                     macsim_header_read_memory(&part.header, packed->path, packed->header, strlen(packed->header)));
        if (good && part.header.thread_count != packed->stream_count) {
            free_part(&part);
            good = WORKS(*opening->error, fault_at(packed->path, FAULT_NO_OFFSET, "the header has %zu threads, but "
                                                   "the pack %zu streams; make it again with `rubato trace pack`",
                                                   part.header.thread_count, packed->stream_count));
        }
        if (!good)
            return false;
    } else {
        part.is_stream = text_ends_in(packed->path, ".raw");
        part.header = (struct macsim_header){.path = strdup(""), .base = strdup(packed->path)};
        good = part.header.path != NULL && part.header.base != NULL;
        for (size_t i = 0; good && i < packed->stream_count; i++)
            good = add_thread(&part.header, packed->streams[i].id);
    }
    application = good ? add_application(opening, packed->path, false) : NULL;
    if (application != NULL)
        return set_add_part(opening, application, &part);
    free_part(&part);
    return WORKS(*opening->error, fault_memory(packed->path, NULL));
}

static bool open_pack(struct opening *opening, const char *path)
{
    opening->set->pack = macsim_pack_open(path, opening->error);
    if (opening->set->pack == NULL)
        return false;
    for (size_t i = 0; i < macsim_pack_count(opening->set->pack); i++)
        if (!open_packed(opening, macsim_pack_part(opening->set->pack, i)))
            return false;
    return true;
}

static bool open_path(struct opening *opening, const char *path)
{
    struct macsim_header header;
    bool is_one = true;
    struct stat about;

    if (stat(path, &about) != 0)
        return WORKS(*opening->error, fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno)));
    if (S_ISDIR(about.st_mode))
        return open_folder(opening, path);
    if (macsim_pack_detect(path))
        return open_pack(opening, path);
    if (!text_ends_in(path, ".raw") && opening->override != NULL
        && FAILS(*opening->error, look_for_header(path, &is_one)))
        return false;
    if (text_ends_in(path, ".raw") || !is_one)
        return open_stream(opening, path);
    return WORKS(*opening->error, macsim_header_read(&header, path)) && add_any(opening, &header);
}

struct fault macsim_set_open(struct macsim_set *set, const char *path, const struct macsim_override *override)
{
    struct fault fault = fault_none();
    struct opening opening = {.set = set, .override = override, .error = &fault};
    bool good;

    *set = (struct macsim_set){.path = strdup(path)};
    good = set->path != NULL ? open_path(&opening, path) : WORKS(fault, fault_memory(path, NULL));
    for (size_t i = 0; i < opening.count; i++)
        macsim_header_free(&opening.entries[i].header);
    for (size_t i = 0; i < opening.loose_count; i++)
        free_part(&opening.loose[i]);
    free(opening.entries);
    free(opening.loose);
    set->warnings = opening.warnings.items;
    set->warning_count = opening.warnings.count;
    if (!good)
        macsim_set_close(set);
    return good ? fault_none() : fault;
}

void macsim_set_close(struct macsim_set *set)
{
    struct gpu_warnings warnings = {set->warnings, set->warning_count};

    for (size_t i = 0; i < set->application_count; i++) {
        struct macsim_application *const application = &set->applications[i];

        for (size_t p = 0; p < application->part_count; p++)
            free_part(&application->parts[p]);
        free(application->parts);
        free(application->path);
    }
    gpu_warnings_free(&warnings);
    macsim_pack_close(set->pack);
    free(set->applications);
    free(set->path);
    *set = (struct macsim_set){0};
}

/* A header or a stream in the folder or below. */
static bool holds_trace(const char *folder, int depth)
{
    struct fault ignored;
    struct names names;
    bool found = false, is_one;
    uint64_t id;

    if (depth > DEPTH_MAX || list_folder(folder, &names).kind != FAULT_NONE)
        return false;
    for (size_t i = 0; !found && i < names.count; i++)
        found = id_of(names.items[i], &id) != NULL
                || (is_header_name(path_name(names.items[i]))
                    && WORKS(ignored, look_for_header(names.items[i], &is_one)) && is_one);
    for (size_t i = 0; !found && i < names.count; i++)
        found = path_is_folder(names.items[i]) && holds_trace(names.items[i], depth + 1);
    free_names(&names);
    return found;
}

bool macsim_set_is(struct trace_bytes *head)
{
    size_t const there = trace_bytes_look(head, LOOK_BYTES);

    return text_ends_in(head->path, ".raw") || macsim_header_detect((const char *)head->next, there);
}

bool macsim_set_is_in(const char *folder)
{
    return holds_trace(folder, 0);
}

struct fault macsim_long_path(const struct macsim_part *part)
{
    return fault_at(part->header.path, FAULT_NO_OFFSET,
                    "the path of a stream is longer than %d bytes; move the trace to "
                    "a shorter one",
                    MACSIM_PATH_MAX - 1);
}

bool macsim_part_path(const struct macsim_part *part, size_t index, char path[MACSIM_PATH_MAX])
{
    size_t const length = strlen(part->header.base);

    if (!part->is_stream)
        return macsim_header_stream_path(&part->header, index, path, MACSIM_PATH_MAX);
    if (length >= MACSIM_PATH_MAX)
        return false;
    memcpy(path, part->header.base, length + 1);
    return true;
}

struct fault macsim_part_open(const struct macsim_part *part, size_t index, struct macsim_stream *stream)
{
    char path[MACSIM_PATH_MAX];
    struct macsim_source const source = source_of(part, index, path);

    return macsim_stream_open(stream, &source, &part->detection.format);
}
