/* A kernel's threads are sorted by block and warp when it is opened; a block's files are read when it is asked for.
 *
 * Applications of a set are streams of the list, as they start together; a kernel's id is the number at the end of its
 * folder's name, which generators count up. Occupancy is the header's MAXBLK. In the reference's way (compat) a header
 * of nvbit says nothing about it, since there the configuration's number holds. */
#include "proto/macsim/set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"
#include "proto/gpu/gpu_text.h"
#include "proto/macsim/warp.h"

enum { WARP_LANES = 32, WARPS_MAX = GPU_THREADS_MAX / WARP_LANES };
enum { TOLD_STREAMS = 4 };               /* streams of a kernel whose oddities are reported one by one */

struct place {
    uint64_t block;
    uint32_t warp;
    uint32_t thread;                     /* of the header */
};

struct group {
    uint32_t first, count;               /* of the places */
    uint32_t thread;                     /* the first that the header names */
};

struct macsim_kernel {
    const struct macsim_part *part;
    struct macsim_warps warps;
    struct place *places;
    struct group *groups;                /* blocks */
    uint32_t group_count, next;
    struct gpu_warnings warnings;
    uint64_t odd_streams;
    enum gpu_step step;
    struct fault error;            /* of GPU_FAILED */
};

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* The path of the kernel's header below the list's folder, as commands name it. A repeated application of the set has
 * "#2" and so on appended: each is a stream of its own. */
static const char *part_file(const struct gpu_list *list, const struct macsim_part *part)
{
    const char *const file = part->header.path + strlen(list->folder);

    return list->folder[0] != '\0' && strncmp(file, "./", 2) == 0 ? file + 2 : file;
}

/* Of a list; the list owns it. */
struct macsim_list {
    struct macsim_set set;
    bool compat;
};

static const struct gpu_format macsim_format;

static const struct macsim_list *macsim_of(const struct gpu_list *list)
{
    return list->source;
}

bool macsim_list_is(const struct gpu_list *list)
{
    return list->format == &macsim_format;
}

bool macsim_list_has_threads(const struct gpu_list *list)
{
    return macsim_list_is(list) && macsim_set_has(&macsim_of(list)->set, false);
}

bool macsim_list_detect(const char *path)
{
    struct macsim_set set;
    struct fault error;
    bool found;

    if (FAILS(error, macsim_set_open(&set, path, NULL)))
        return false;
    found = macsim_set_has(&set, true);
    macsim_set_close(&set);
    return found;
}

/* The folder of the first GPU application's list or header, if all kernels lie below it; else "". */
static struct fault set_folder(struct gpu_list *list, const char *path)
{
    const char *const slash = strrchr(path, '/');

    list->path = strdup(path);
    list->folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    if (list->path == NULL || list->folder == NULL)
        return fault_memory(path, NULL);
    for (size_t i = 0; i < macsim_of(list)->set.application_count; i++) {
        const struct macsim_application *const application = &macsim_of(list)->set.applications[i];

        for (size_t j = 0; application->is_gpu && j < application->part_count; j++)
            if (!text_begins(application->parts[j].header.path, list->folder))
                list->folder[0] = '\0';
    }
    return fault_none();
}

static bool has_file(const struct gpu_list *list, const struct macsim_application *application, const char *file)
{
    for (size_t i = 0; application->is_gpu && i < application->part_count; i++)
        if (strcmp(part_file(list, &application->parts[i]), file) == 0)
            return true;
    return false;
}

static char *command_file(const struct gpu_list *list, const struct macsim_application *application,
                          const struct macsim_part *part)
{
    const char *const file = part_file(list, part);
    size_t const room = strlen(file) + 16;
    char *const name = malloc(room);
    unsigned before = 0;

    for (const struct macsim_application *a = macsim_of(list)->set.applications; a < application; a++)
        before += has_file(list, a, file);
    if (name != NULL && before == 0)
        snprintf(name, room, "%s", file);
    else if (name != NULL)
        snprintf(name, room, "%s#%u", file, before + 1);
    return name;
}

static struct fault add_kernels(struct gpu_list *list, const struct macsim_application *application)
{
    if (!list_resize(&list->commands, list->count + application->part_count + 1, sizeof *list->commands))
        return fault_memory(application->path, NULL);
    for (size_t i = 0; i < application->part_count; i++) {
        const struct macsim_part *const part = &application->parts[i];

        if (!part->has_header)
            return fault_at(application->path, FAULT_NO_OFFSET, "is a GPU's stream without a header, so its block and "
                            "kernel are not known; put its Trace.txt beside it and name that");
        list->commands[list->count] = (struct gpu_command){.kind = GPU_KERNEL,
                                                           .file = command_file(list, application, part)};
        if (list->commands[list->count].file == NULL)
            return fault_memory(application->path, NULL);
        list->count++;
    }
    return fault_none();
}

static struct fault fill_list(struct gpu_list *list, const char *path)
{
    struct fault fault = fault_none();
    const struct macsim_set *const set = &macsim_of(list)->set;
    bool is_first = true;

    if (!macsim_set_has(set, true))
        return fault_at(path, FAULT_NO_OFFSET, "is a MacSim trace without a GPU application; expected one of ptx, "
                        "newptx or nvbit");
    for (size_t i = 0; i < set->application_count; i++) {
        if (!set->applications[i].is_gpu)
            continue;
        if ((is_first && FAILS(fault, set_folder(list, set->applications[i].path)))
            || FAILS(fault, add_kernels(list, &set->applications[i])))
            return fault;
        is_first = false;
    }
    return fault_none();
}

static void take_warnings(struct gpu_list *list)
{
    const struct macsim_set *const set = &macsim_of(list)->set;

    list->warnings = calloc(set->warning_count + 1, sizeof *list->warnings);
    for (size_t i = 0; list->warnings != NULL && i < set->warning_count; i++) {
        list->warnings[list->warning_count] = strdup(set->warnings[i]);
        list->warning_count += list->warnings[list->warning_count] != NULL;
    }
}

struct fault macsim_list_open(struct gpu_list *list, const char *path, const struct macsim_override *override,
                              bool compat)
{
    struct fault fault = fault_none();
    struct macsim_list *const macsim = calloc(1, sizeof *macsim);

    *list = (struct gpu_list){0};
    if (macsim == NULL)
        return fault_memory(path, NULL);
    if (FAILS(fault, macsim_set_open(&macsim->set, path, override))) {
        free(macsim);
        return fault;
    }
    macsim->compat = compat;
    list->format = &macsim_format;
    list->source = macsim;
    take_warnings(list);
    if (WORKS(fault, fill_list(list, path)))
        return fault_none();
    gpu_list_close(list);
    return fault;
}

static void close_list(struct gpu_list *list)
{
    struct macsim_list *const macsim = list->source;

    macsim_set_close(&macsim->set);
    free(macsim);
}

/* --- blocks and warps --------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct place *const one = a, *const other = b;

    if (one->block != other->block)
        return one->block < other->block ? -1 : 1;
    return one->warp < other->warp ? -1 : one->warp > other->warp;
}

static int by_first_thread(const void *a, const void *b)
{
    uint32_t const one = ((const struct group *)a)->thread, other = ((const struct group *)b)->thread;

    return one < other ? -1 : one > other;
}

static struct fault check_group(const struct macsim_kernel *macsim, const struct group *group)
{
    const struct place *const place = &macsim->places[group->first];
    const char *const path = macsim->part->header.path;

    if (place->block > UINT32_MAX)
        return fault_at(path, FAULT_NO_OFFSET, "id %" PRIu64 " stands for block %" PRIu64 "; expected block times "
                        "65536 plus warp, with a block of 32 bits", place->block << 16 | place->warp, place->block);
    if (group->count > WARPS_MAX)
        return fault_at(path, FAULT_NO_OFFSET, "block %" PRIu64 " has %" PRIu32 " warps; expected at most %d",
                        place->block, group->count, WARPS_MAX);
    for (uint32_t i = 1; i < group->count; i++)
        if (place[i].warp == place[i - 1].warp)
            return fault_at(path, FAULT_NO_OFFSET, "id %" PRIu64 " occurs twice; expected each once",
                            place->block << 16 | place[i].warp);
    return fault_none();
}

static struct fault find_groups(struct macsim_kernel *macsim)
{
    const struct macsim_header *const header = &macsim->part->header;
    uint32_t const count = (uint32_t)header->thread_count;

    if (header->thread_count > UINT32_MAX / 2)
        return fault_at(header->path, FAULT_NO_OFFSET, "has %zu warps; expected at most 2^31", header->thread_count);
    macsim->places = malloc((count + 1) * sizeof *macsim->places);
    macsim->groups = malloc((count + 1) * sizeof *macsim->groups);
    if (macsim->places == NULL || macsim->groups == NULL)
        return fault_memory(header->path, NULL);
    for (uint32_t i = 0; i < count; i++)
        macsim->places[i] = (struct place){.block = macsim_block_of(header->threads[i].id),
                                           .warp = macsim_warp_of(header->threads[i].id), .thread = i};
    qsort(macsim->places, count, sizeof *macsim->places, by_place);
    for (uint32_t i = 0; i < count; i++) {
        const struct place *const place = &macsim->places[i];
        struct group *const group = &macsim->groups[macsim->group_count];

        if (i == 0 || place->block != place[-1].block) {
            *group = (struct group){.first = i, .count = 1, .thread = place->thread};
            macsim->group_count++;
            continue;
        }
        group[-1].count++;
        if (place->thread < group[-1].thread)
            group[-1].thread = place->thread;
    }
    for (uint32_t i = 0; i < macsim->group_count; i++)
        FORWARD(check_group(macsim, &macsim->groups[i]));
    qsort(macsim->groups, macsim->group_count, sizeof *macsim->groups, by_first_thread);
    return fault_none();
}

/* --- the header --------------------------------------------------------------------------------------------------- */

/* Name of the folder that the header lies in, or of the header without its ending. */
static char *kernel_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *at = slash, *end = slash;

    if (slash == NULL || slash == path) {
        at = slash != NULL ? slash + 1 : path;
        end = strrchr(at, '.');
        return strndup(at, end != NULL ? (size_t)(end - at) : strlen(at));
    }
    while (at > path && at[-1] != '/')
        at--;
    return strndup(at, (size_t)(end - at));
}

static uint64_t number_at_end(const char *name)
{
    const char *at = name + strlen(name);

    while (at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoull(at, NULL, 10);
}

static bool add_key(struct gpu_header *header, const char *key, const char *value)
{
    struct gpu_header_key *const other = &header->others[header->other_count];

    other->key = strdup(key);
    other->value = strdup(value);
    header->other_count++;
    return other->key != NULL && other->value != NULL;
}

static bool add_keys(struct gpu_header *header, const struct macsim_list *macsim, const struct macsim_part *part)
{
    header->others = calloc(4, sizeof *header->others);
    return header->others != NULL && add_key(header, "macsim header", macsim_kind_name(part->header.kind))
        && add_key(header, "macsim record", macsim_layout_name(part->detection.format.layout))
        && add_key(header, "macsim opcodes", macsim_dialect_name(part->detection.format.opcodes))
        && (!macsim->compat || add_key(header, "macsim compat", "yes"));
}

static struct fault macsim_kernel_describe(struct gpu_kernel *kernel, const struct gpu_list *list, uint64_t stream)
{
    const struct macsim_kernel *const macsim = kernel->reader;
    const struct macsim_part *const part = macsim->part;
    struct gpu_header *const header = &kernel->header;
    uint32_t most_warps = 0;

    for (uint32_t i = 0; i < macsim->group_count; i++)
        if (macsim->groups[i].count > most_warps)
            most_warps = macsim->groups[i].count;
    *header = (struct gpu_header){
        .name = kernel_name(part->header.path), .stream = stream,
        .grid = {macsim->group_count, 1, 1}, .block = {most_warps * WARP_LANES, 1, 1},
        .warp_size = WARP_LANES, .isa = macsim_warps_isa(&part->detection.format)
    };
    kernel->file = strdup(part->header.path);
    if (header->name == NULL || kernel->file == NULL || !add_keys(header, macsim_of(list), part))
        return fault_memory(part->header.path, NULL);
    header->id = number_at_end(header->name);
    header->binary_version = header->isa == GPU_ISA_SASS ? MACSIM_BINARY_VERSION : 0;
    snprintf(header->tracer_version, sizeof header->tracer_version, "%.15s", part->header.version);
    if (part->header.max_blocks <= UINT32_MAX && !(macsim_of(list)->compat && part->header.kind == MACSIM_KIND_NVBIT))
        header->max_blocks = (uint32_t)part->header.max_blocks;
    return fault_none();
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Does the command name this kernel, and of which application that has it? */
static bool is_named(const char *command, const char *file, unsigned long *instance)
{
    size_t const length = strlen(file);

    *instance = command[length] == '#' ? strtoul(command + length + 1, NULL, 10) : 1;
    return command[length] == '\0' || command[length] == '#';
}

static const struct macsim_part *find_part(const struct gpu_list *list, const char *command, uint64_t *stream)
{
    const struct macsim_set *const set = &macsim_of(list)->set;
    unsigned long instance, seen = 0;

    *stream = 0;
    for (size_t i = 0; i < set->application_count; i++) {
        const struct macsim_application *const application = &set->applications[i];
        bool was_seen = false;

        for (size_t j = 0; application->is_gpu && j < application->part_count; j++) {
            const char *const file = part_file(list, &application->parts[j]);

            if (!text_begins(command, file) || !is_named(command, file, &instance))
                continue;
            seen += !was_seen;
            was_seen = true;
            if (seen == instance)
                return &application->parts[j];
        }
        *stream += application->is_gpu;
    }
    return NULL;
}

static struct fault open_kernel(struct gpu_kernel *kernel, const struct gpu_list *list, const char *file)
{
    struct fault fault = fault_none();
    struct macsim_kernel *const macsim = calloc(1, sizeof *macsim);
    uint64_t stream;

    *kernel = (struct gpu_kernel){.format = &macsim_format, .reader = macsim};
    if (macsim == NULL)
        return fault_memory(file, NULL);
    macsim->part = find_part(list, file, &stream);
    if (macsim->part == NULL)
        fault = fault_at(file, FAULT_NO_OFFSET, "is not a kernel of %s; name one that it has", list->path);
    else if (!macsim_warps_init(&macsim->warps, &macsim->part->detection.format, macsim_of(list)->compat))
        fault = fault_memory(file, NULL);
    else if (WORKS(fault, find_groups(macsim)) && WORKS(fault, macsim_kernel_describe(kernel, list, stream)))
        return fault_none();
    gpu_kernel_close(kernel);
    return fault;
}

static void close_kernel(struct gpu_kernel *kernel)
{
    struct macsim_kernel *const macsim = kernel->reader;

    macsim_warps_free(&macsim->warps);
    gpu_warnings_free(&macsim->warnings);
    free(macsim->places);
    free(macsim->groups);
    free(macsim);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Reports the oddities of a stream; of many streams, only of the first few. */
static void tell_stream(struct macsim_kernel *macsim, const struct macsim_stream *stream)
{
    unsigned told = 0;
    char text[500];

    while (macsim_stream_warning(stream, &told, text, sizeof text))
        if (macsim->odd_streams++ < TOLD_STREAMS)
            gpu_warn_ready(&macsim->warnings, text);
}

static struct fault read_warp(struct macsim_kernel *macsim, uint32_t thread)
{
    struct fault fault = fault_none();
    struct macsim_stream stream;
    struct macsim_gpu_record record;
    enum macsim_step step = MACSIM_FAILED;
    char path[MACSIM_PATH_MAX];
    bool has_room = true;

    if (!macsim_part_path(macsim->part, thread, path))
        return macsim_long_path(macsim->part);
    FORWARD(macsim_part_open(macsim->part, thread, &stream));
    while (has_room && (step = macsim_stream_next_gpu(&stream, &record, &fault)) == MACSIM_RECORD)
        has_room = macsim_warps_add(&macsim->warps, &record);
    if (step == MACSIM_END)
        tell_stream(macsim, &stream);
    macsim_stream_close(&stream);
    if (!has_room || (step == MACSIM_END && !macsim_warps_end_warp(&macsim->warps)))
        return fault_memory(path, "a thread block");
    return step == MACSIM_END ? fault_none() : fault;
}

static enum gpu_step macsim_kernel_next_block(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error)
{
    struct macsim_kernel *const macsim = kernel->reader;
    const struct group *group;

    if (macsim->next == macsim->group_count)
        return GPU_NO_BLOCK;
    group = &macsim->groups[macsim->next++];
    macsim_warps_begin_block(&macsim->warps);
    for (uint32_t i = 0; i < group->count; i++)
        if (FAILS(*error, read_warp(macsim, macsim->places[group->first + i].thread)))
            return GPU_FAILED;
    *block = macsim_warps_block(&macsim->warps, (uint32_t)macsim->places[group->first].block);
    if (*block == NULL) {
        *error = fault_memory(kernel->file, NULL);
        return GPU_FAILED;
    }
    kernel->blocks_read++;
    kernel->statics = macsim->warps.statics.items;
    kernel->static_count = macsim->warps.statics.count;
    kernel->opcodes = macsim->warps.opcodes;
    kernel->opcode_count = macsim->warps.opcode_count;
    return GPU_BLOCK;
}

static void tell_oddities(struct gpu_kernel *kernel)
{
    struct macsim_kernel *const macsim = kernel->reader;

    if (macsim->odd_streams > TOLD_STREAMS)
        gpu_warn(&macsim->warnings, kernel->file, 0, "%" PRIu64 " more of its streams are odd in such a way",
                 macsim->odd_streams - TOLD_STREAMS);
    for (int i = 0; i < MACSIM_WARP_ODDITY_COUNT; i++)
        if (macsim->warps.oddities[i] > 0)
            gpu_warn(&macsim->warnings, kernel->file, 0, "%s (%" PRIu64 " times)",
                     macsim_warp_oddity_text((enum macsim_warp_oddity)i), macsim->warps.oddities[i]);
    kernel->warnings = macsim->warnings.items;
    kernel->warning_count = macsim->warnings.count;
}

static enum gpu_step next_of_macsim(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error)
{
    struct macsim_kernel *const macsim = kernel->reader;

    *block = NULL;
    if (macsim->step == GPU_BLOCK) {
        macsim->step = macsim_kernel_next_block(kernel, block, &macsim->error);
        if (macsim->step != GPU_BLOCK)
            tell_oddities(kernel);
    }
    if (macsim->step == GPU_FAILED)
        *error = macsim->error;
    return macsim->step;
}

static struct fault look_at_streams(const struct gpu_kernel *kernel, struct gpu_streams *streams)
{
    return macsim_streams_look(kernel->file, streams);
}

static const struct gpu_format macsim_format = {next_of_macsim, close_kernel, look_at_streams, open_kernel, close_list};
