/* One line, one command (gpu-traces 1.2). Unknown commands cause one warning for each kind; a missing kernel is an
 * error here, before anything runs. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"
#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/gpu/tracez.h"
#include "proto/store/store.h"

enum { KINDS_MAX = 16, KIND_LETTERS = 24, LOOK_BYTES = 4096 };

struct reading {
    struct gpu_list *list;
    struct gpu_text text;
    size_t room;
    struct gpu_warnings warnings;
    char kinds[KINDS_MAX][KIND_LETTERS];
    size_t kind_count;
    struct fault *error;
};

static bool begins(const struct gpu_cursor *line, const char *with)
{
    size_t const length = strlen(with);

    return (size_t)(line->end - line->at) >= length && memcmp(line->at, with, length) == 0;
}

/* The bytes up to the next comma, which is passed over. */
static struct gpu_cursor gpu_list_take_field(struct gpu_cursor *line)
{
    const char *const comma = memchr(line->at, ',', (size_t)(line->end - line->at));
    struct gpu_cursor field = {line->at, comma != NULL ? comma : line->end};

    line->at = comma != NULL ? comma + 1 : line->end;
    gpu_trim(&field);
    return field;
}

static struct gpu_command *add_command(struct reading *reading)
{
    struct gpu_list *const list = reading->list;

    if (!list_fit(&list->commands, list->count + 1, &reading->room, sizeof *list->commands)) {
        *reading->error = fault_memory(list->path, NULL);
        return NULL;
    }
    list->commands[list->count] = (struct gpu_command){.line = reading->text.line};
    return &list->commands[list->count++];
}

/* MemcpyHtoD,address,bytes; further fields are private to the tracer. */
static bool take_copy(struct reading *reading, struct gpu_cursor line)
{
    struct gpu_cursor address, bytes;
    struct gpu_command *command;

    gpu_list_take_field(&line);
    address = gpu_list_take_field(&line);
    bytes = gpu_list_take_field(&line);
    command = add_command(reading);
    if (command == NULL)
        return false;
    command->kind = GPU_COPY_TO_DEVICE;
    if (!gpu_take_hex(&address, &command->address) || address.at != address.end)
        return WORKS(*reading->error, gpu_text_unexpected(reading->list->path, reading->text.line, &address,
                                                          "the copy's address, a hexadecimal number of 64 bits,"));
    if (!gpu_take_unsigned(&bytes, UINT64_MAX, &command->bytes) || bytes.at != bytes.end)
        return WORKS(*reading->error, gpu_text_unexpected(reading->list->path, reading->text.line, &bytes,
                                                          "the copy's size in bytes, a decimal number of 64 bits,"));
    if (command->bytes > 0 && command->address > UINT64_MAX - (command->bytes - 1))
        return WORKS(*reading->error, fault_at_line(reading->list->path, reading->text.line, "the copy ends beyond 64 "
                                                    "bits; expected address and bytes within them; trace the program "
                                                    "again or mend the line"));
    return true;
}

/* The same from the device; without address and size, as some write it, it is nothing. */
static bool take_copy_back(struct reading *reading, struct gpu_cursor line)
{
    struct gpu_command copy = {.kind = GPU_COPY_TO_HOST, .line = reading->text.line};
    struct gpu_cursor address, bytes;
    struct gpu_command *command;

    gpu_list_take_field(&line);
    address = gpu_list_take_field(&line);
    bytes = gpu_list_take_field(&line);
    if (!gpu_take_hex(&address, &copy.address) || address.at != address.end
        || !gpu_take_unsigned(&bytes, UINT64_MAX, &copy.bytes) || bytes.at != bytes.end)
        return true;
    command = add_command(reading);
    if (command != NULL)
        *command = copy;
    return command != NULL;
}

static bool comes_through_descriptor(const char *path)
{
    return strncmp(path, "/proc/self/fd/", 14) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

static bool take_kernel(struct reading *reading, const struct gpu_cursor *line)
{
    struct gpu_list *const list = reading->list;
    struct gpu_command *command;
    char *path;

    for (const char *c = line->at; c < line->end; c++)
        if (*c < ' ' || *c > '~')
            return WORKS(*reading->error, gpu_text_unexpected(list->path, reading->text.line, line,
                                                              "a file's name of printable ASCII"));
    command = add_command(reading);
    if (command == NULL)
        return false;
    command->kind = GPU_KERNEL;
    command->file = gpu_copy_shown(line->at, line->end);
    if (command->file == NULL)
        return WORKS(*reading->error, fault_memory(list->path, NULL));
    path = gpu_text_find(list->folder, command->file);
    free(path);
    return path != NULL
           || WORKS(*reading->error, fault_at_line(list->path, reading->text.line,
                                                   "the kernel's file %s%s is not there, nor the same "
                                                   "with or without .xz, .gz or .zst; %s or take the line "
                                                   "out",
                                                   list->folder, command->file,
                                                   comes_through_descriptor(list->path)
                                                   ? "run in the folder of the kernels, since a list from a pipe has "
                                                     "none," : "put it beside the list"));
}

static void warn_unknown(struct reading *reading, const struct gpu_cursor *line)
{
    struct gpu_cursor word = *line;
    char kind[KIND_LETTERS];

    for (const char *c = word.at; c < word.end; c++)
        if (*c == ',' || gpu_is_blank(*c)) {
            word.end = c;
            break;
        }
    gpu_show(kind, sizeof kind, word.at, word.end);
    for (size_t i = 0; i < reading->kind_count; i++)
        if (strcmp(reading->kinds[i], kind) == 0)
            return;
    if (reading->kind_count == KINDS_MAX)
        return;
    memcpy(reading->kinds[reading->kind_count++], kind, sizeof kind);
    gpu_warn(&reading->warnings, reading->list->path, reading->text.line,
             "\"%s\" is neither a copy nor a kernel; such lines are left out", kind);
}

static bool gpu_list_take_line(struct reading *reading, struct gpu_cursor line)
{
    gpu_trim(&line);
    if (line.at == line.end)
        return true;
    if (begins(&line, "kernel"))
        return take_kernel(reading, &line);
    if (begins(&line, "MemcpyHtoD"))
        return take_copy(reading, line);
    if (begins(&line, "MemcpyDtoH"))
        return take_copy_back(reading, line);
    if (!begins(&line, "Memcpy"))                    /* other directions have no effect */
        warn_unknown(reading, &line);
    return true;
}

static bool read_lines(struct reading *reading)
{
    struct gpu_cursor line;
    enum gpu_text_step step;

    while ((step = gpu_text_next(&reading->text, &line, reading->error)) == GPU_TEXT_LINE)
        if (!gpu_list_take_line(reading, line))
            return false;
    return step == GPU_TEXT_END;
}

static bool has_kernel(const struct gpu_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->commands[i].kind == GPU_KERNEL)
            return true;
    return false;
}

/* Everything up to the last '/'. A list from a pipe has no folder: its names count from the working directory. */
static char *folder_of(const char *path)
{
    const char *const slash = comes_through_descriptor(path) ? NULL : strrchr(path, '/');

    return strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
}

/* A kernel's file is its own list. */
static bool be_own_list(struct reading *reading)
{
    struct gpu_list *const list = reading->list;
    struct gpu_command *const command = add_command(reading);

    if (command == NULL)
        return false;
    command->kind = GPU_KERNEL;
    command->line = 0;
    command->file = strdup(list->path + strlen(list->folder));
    return command->file != NULL || WORKS(*reading->error, fault_memory(list->path, NULL));
}

static bool is_kernel_file(const char *path, const struct gpu_cursor *start);

/* The text's first bytes; they stay unread. */
static struct fault gpu_list_look(struct gpu_text *text, struct gpu_cursor *start)
{
    struct fault fault = fault_none();

    if (stream_need(&text->stream, LOOK_BYTES, &fault) == STREAM_FAILED && text->stream.next == text->stream.end)
        return fault;
    start->at = (const char *)text->stream.next;
    start->end = (const char *)text->stream.end;
    return fault_none();
}

static struct fault open_store(struct gpu_list *list, const char *path)
{
    struct fault fault = fault_none();
    struct gpu_store *const store = gpu_store_open(path, &fault);
    bool const good = store != NULL && WORKS(fault, gpu_store_list(store, list));

    gpu_store_close(store);
    return good ? fault_none() : fault;
}

static struct fault open_source(struct gpu_list *list, const struct stream_source *source)
{
    struct fault fault = fault_none();
    const char *const path = source->path;
    struct reading reading = {.list = list, .error = &fault};
    struct gpu_cursor start;
    bool good;

    *list = (struct gpu_list){.path = strdup(path), .folder = folder_of(path)};
    good = (list->path != NULL && list->folder != NULL) || WORKS(fault, fault_memory(path, NULL));
    if (good)
        good = WORKS(fault, gpu_text_open(&reading.text, source))
            && (reading.text.container != NULL ? be_own_list(&reading)
                : WORKS(fault, gpu_list_look(&reading.text, &start))
                && (is_kernel_file(path, &start) ? be_own_list(&reading) : read_lines(&reading)));
    gpu_text_close(&reading.text);
    if (good && !has_kernel(list))
        good = WORKS(fault, fault_at(path, FAULT_NO_OFFSET,
                                     "names no kernel; expected lines such as kernel-1.traceg"));
    list->warnings = reading.warnings.items;
    list->warning_count = reading.warnings.count;
    if (!good)
        gpu_list_close(list);
    return good ? fault_none() : fault;
}

static struct fault gpu_list_open_file(struct gpu_list *list, const char *path)
{
    return open_source(list, &(struct stream_source){.path = path});
}

struct fault gpu_list_open_memory(struct gpu_list *list, const char *path, const void *data, size_t size)
{
    return open_source(list, &(struct stream_source){.path = path, .data = data, .size = size});
}

void gpu_list_close(struct gpu_list *list)
{
    struct gpu_warnings warnings = {list->warnings, list->warning_count};

    for (size_t i = 0; i < list->count; i++)
        free(list->commands[i].file);
    free(list->commands);
    free(list->path);
    free(list->folder);
    gpu_warnings_free(&warnings);
    if (list->format != NULL)
        list->format->close_list(list);
    *list = (struct gpu_list){0};
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

/* Place of a name among the lists of a folder, the best first; 0: no list. */
static int gpu_list_rank_of(const char *name)
{
    bool const is_grouped = text_ends_in(name, ".g");

    if (strcmp(name, "kernelslist.g") == 0)
        return 1;
    if (strcmp(name, "kernelslist") == 0)
        return 2;
    if (strncmp(name, "kernelslist_ctx_", 16) != 0)
        return 0;
    return is_grouped ? 3 : 4;
}

static bool comes_before(const char *a, const char *b)
{
    return gpu_list_rank_of(a) != gpu_list_rank_of(b) ? gpu_list_rank_of(a) < gpu_list_rank_of(b) : strcmp(a, b) < 0;
}

/* The next list of the folder after `last` (NULL: the first); NULL: no more. The caller frees it. */
static char *next_list(const char *folder, const char *last)
{
    DIR *const entries = opendir(folder);
    char *best = NULL;

    if (entries == NULL)
        return NULL;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *const name = entry->d_name;

        if (gpu_list_rank_of(name) == 0 || (last != NULL && !comes_before(last, name))
            || (best != NULL && !comes_before(name, best)))
            continue;
        free(best);
        best = strdup(name);
        if (best == NULL)
            break;
    }
    closedir(entries);
    return best;
}

/* For a folder without a valid list, the error is that of its first list. */
static struct fault open_folder(struct gpu_list *list, const char *folder)
{
    char *name = next_list(folder, NULL);
    struct fault first = fault_none();

    if (name == NULL)
        return fault_at(folder, FAULT_NO_OFFSET, "is a folder without a list; expected kernelslist.g, kernelslist or "
                        "kernelslist_ctx_* in it; name the folder that has one");
    while (name != NULL) {
        char *const path = path_join(folder, name), *next;
        struct fault fault = path != NULL ? gpu_list_open_file(list, path) : fault_memory(folder, NULL);

        free(path);
        if (fault.kind == FAULT_NONE) {
            free(name);
            return fault;
        }
        if (first.kind == FAULT_NONE)
            first = fault;
        next = next_list(folder, name);
        free(name);
        name = next;
    }
    return first;
}

struct fault gpu_list_open(struct gpu_list *list, const char *path)
{
    struct fault fault = fault_none();
    char *const found = path_is_folder(path) ? NULL : gpu_text_find("", path);
    bool good;

    *list = (struct gpu_list){0};
    if (path_is_folder(path))
        good = WORKS(fault, open_folder(list, path));
    else if (gpu_store_detect(path))
        good = WORKS(fault, open_store(list, path));
    else
        good = WORKS(fault, gpu_list_open_file(list, found != NULL ? found : path));
    free(found);
    return good ? fault_none() : fault;
}

/* --- detection ---------------------------------------------------------------------------------------------------- */

/* Calls `is` for the lines of a start, until one is. */
static bool any_line(struct gpu_cursor start, bool (*is)(const struct gpu_cursor *line))
{
    while (start.at < start.end) {
        const char *const newline = memchr(start.at, '\n', (size_t)(start.end - start.at));
        struct gpu_cursor line = {start.at, newline != NULL ? newline : start.end};

        gpu_trim(&line);
        if (is(&line))
            return true;
        start.at = newline != NULL ? newline + 1 : start.end;
    }
    return false;
}

static bool is_command(const struct gpu_cursor *line)
{
    return begins(line, "kernel-") || begins(line, "Memcpy");
}

static bool is_header_key(const struct gpu_cursor *line)
{
    return begins(line, "-") && memchr(line->at, '=', (size_t)(line->end - line->at)) != NULL;
}

/* A file with such a name is treated as a kernel regardless of its contents, so that errors refer to kernels. */
static bool has_kernel_name(const char *path)
{
    const char *const name = path_name(path);

    return strncmp(name, "kernel-", 7) == 0 && strstr(name, ".trace") != NULL;
}

/* A kernel's file has a kernel's name, or begins with a header line. */
static bool is_kernel_file(const char *path, const struct gpu_cursor *start)
{
    struct gpu_cursor rest = *start;

    while (rest.at < rest.end && (gpu_is_blank(*rest.at) || *rest.at == '\n' || *rest.at == '\r'))
        rest.at++;
    return has_kernel_name(path) || (rest.at < rest.end && *rest.at == '-' && any_line(rest, is_header_key));
}

bool gpu_list_is(struct trace_bytes *head)
{
    const char *const path = head->path;
    size_t const there = trace_bytes_look(head, LOOK_BYTES);
    struct gpu_cursor const start = {(const char *)head->next, (const char *)head->next + there};

    if (gpu_tracez_is(path) || has_kernel_name(path) || strncmp(path_name(path), "kernelslist", 11) == 0)
        return true;
    return there > 0 && memchr(start.at, '\0', there) == NULL
        && (is_kernel_file(path, &start) || any_line(start, is_command));
}

bool gpu_list_is_in(const char *folder)
{
    char *const name = next_list(folder, NULL);

    free(name);
    return name != NULL;
}
