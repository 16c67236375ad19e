/* Sorted runs and their merging.
 *
 * Lines are gathered in memory: their text from its beginning up, an entry for each from its end down. When these meet,
 * the entries are sorted and written to the file as a run: warp after warp a piece, which is a head (struct piece) and
 * text. So a warp has at most one piece in each run, and its lines' order is that of the runs.
 *
 * Merging: a heap holds for each run the piece that is next; those of the lowest warp are removed, in the order of the
 * runs, and stay valid until the next warp is requested. More than FAN_IN runs are first merged into fewer, longer
 * ones: FAN_IN neighbours each, as often as necessary. The merged runs are appended to the file; the space of their
 * inputs is not reused. */
#include "proto/gpu/warp_sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"

enum { FAN_IN = 64, WINDOW = 16 * 1024, OUT_BUFFER = 64 * 1024 };

/* Offsets into the gathered text have 32 bits. */
#define MEMORY_MAX ((size_t)1 << 31)

struct entry {
    struct warp_key key;
    uint32_t place;                  /* of the text; grows from line to line */
    uint32_t bytes;                  /* with its newline */
    bool is_marked;
};

struct piece {
    struct warp_key key;
    uint64_t lines, bytes;
    uint64_t has_marked;
};

struct run {
    uint64_t place, end;             /* in the file */
};

struct cursor {
    uint64_t at, end;                /* of the next piece's head; of the run */
    struct piece piece;
    uint64_t text;                   /* place of the piece's text */
    uint64_t window_place;           /* of the window's first byte */
    size_t window_bytes, window_room;
    char *window;
};

struct warp_sort {
    char *name, *folder;
    int file;
    uint64_t file_bytes;             /* written to the file, without the contents of `out` */
    char *out;                       /* OUT_BUFFER */
    size_t out_used;

    char *memory;
    size_t memory_bytes, text_used;
    struct entry *entries_end;       /* entries lie before it, the newest first */
    size_t entry_count;

    struct run *runs;
    size_t run_count, run_room;

    bool is_merging;
    struct cursor cursors[FAN_IN];
    unsigned heap[FAN_IN], heap_count;
    unsigned taken[FAN_IN], taken_count;
    struct warp_lines warp;          /* that the taken pieces are of */
    unsigned reading;                /* of the taken ones */
    uint64_t read_bytes;             /* of its text */
};

static struct fault warp_sort_no_memory(const struct warp_sort *sort)
{
    return fault_memory(sort->name, "sorting its lines");
}

static struct fault file_fails(const struct warp_sort *sort, int why)
{
    return fault_at(sort->name, FAULT_NO_OFFSET, "the temporary file for sorting its lines, in %s: %s; make room "
                    "there, or name another folder in the environment's TMPDIR", sort->folder, strerror(why));
}

int warp_sort_temporary(const char *name, const char *folder, struct fault *error)
{
    size_t const room = strlen(folder) + sizeof "/rubato-XXXXXX";
    char *const path = malloc(room);
    int file;

    if (path == NULL) {
        *error = fault_memory(name, NULL);
        return -1;
    }
    snprintf(path, room, "%s/rubato-XXXXXX", folder);
    file = mkstemp(path);
    if (file < 0)
        *error = fault_at(name, FAULT_NO_OFFSET, "no temporary file can be made in %s: %s; name another folder in the "
                          "environment's TMPDIR", folder, strerror(errno));
    else
        unlink(path);
    if (file >= 0)
        fcntl(file, F_SETFD, FD_CLOEXEC);
    free(path);
    return file;
}

struct warp_sort *warp_sort_new(const char *name, const char *folder, size_t memory_bytes, struct fault *error)
{
    struct warp_sort *const sort = calloc(1, sizeof *sort);

    if (sort == NULL) {
        *error = fault_memory(name, NULL);
        return NULL;
    }
    sort->name = strdup(name);
    sort->folder = strdup(folder);
    sort->out = malloc(OUT_BUFFER);
    /* entries must lie aligned before the end */
    sort->memory_bytes = (memory_bytes < MEMORY_MAX ? memory_bytes : MEMORY_MAX) / sizeof(struct entry)
        * sizeof(struct entry);
    sort->file = -1;
    if (sort->name == NULL || sort->folder == NULL || sort->out == NULL)
        *error = fault_memory(name, NULL);
    else if ((sort->file = warp_sort_temporary(name, folder, error)) >= 0)
        return sort;
    warp_sort_free(sort);
    return NULL;
}

void warp_sort_free(struct warp_sort *sort)
{
    if (sort == NULL)
        return;
    if (sort->file >= 0)
        close(sort->file);
    for (int i = 0; i < FAN_IN; i++)
        free(sort->cursors[i].window);
    free(sort->runs);
    free(sort->memory);
    free(sort->out);
    free(sort->folder);
    free(sort->name);
    free(sort);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static struct fault warp_sort_flush(struct warp_sort *sort)
{
    const char *at = sort->out;

    while (sort->out_used > 0) {
        ssize_t const written = pwrite(sort->file, at, sort->out_used, (off_t)sort->file_bytes);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return file_fails(sort, written < 0 ? errno : ENOSPC);
        at += written;
        sort->file_bytes += (uint64_t)written;
        sort->out_used -= (size_t)written;
    }
    return fault_none();
}

static struct fault warp_sort_append(struct warp_sort *sort, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        size_t const free_bytes = OUT_BUFFER - sort->out_used;
        size_t const some = count < free_bytes ? count : free_bytes;

        memcpy(sort->out + sort->out_used, at, some);
        sort->out_used += some;
        at += some;
        count -= some;
        if (sort->out_used == OUT_BUFFER)
            FORWARD(warp_sort_flush(sort));
    }
    return fault_none();
}

static uint64_t end_of_file(const struct warp_sort *sort)
{
    return sort->file_bytes + sort->out_used;
}

static struct fault add_run(struct warp_sort *sort, const struct run *run)
{
    if (!list_fit(&sort->runs, sort->run_count + 1, &sort->run_room, sizeof *sort->runs))
        return warp_sort_no_memory(sort);
    sort->runs[sort->run_count++] = *run;
    return fault_none();
}

/* Bytes of the file from a place on: at least one, as many as the window has. `wanted`: the window is made as large. */
static struct fault warp_sort_look(struct warp_sort *sort, struct cursor *cursor, uint64_t place, size_t wanted,
                                   const char **bytes, size_t *count)
{
    uint64_t const end = cursor->window_place + cursor->window_bytes;

    if (place < cursor->window_place || place + wanted > end) {
        ssize_t got;

        if (wanted > cursor->window_room || cursor->window == NULL) {
            size_t const room = wanted > WINDOW ? wanted : WINDOW;

            if (!list_resize(&cursor->window, room, 1))
                return warp_sort_no_memory(sort);
            cursor->window_room = room;
        }
        cursor->window_bytes = 0;
        cursor->window_place = place;
        do {
            got = pread(sort->file, cursor->window + cursor->window_bytes,
                        cursor->window_room - cursor->window_bytes, (off_t)(place + cursor->window_bytes));
            if (got > 0)
                cursor->window_bytes += (size_t)got;
        } while ((got < 0 && errno == EINTR) || (got > 0 && cursor->window_bytes < wanted));
        if (cursor->window_bytes < wanted)
            return file_fails(sort, got < 0 ? errno : EIO);
    }
    *bytes = cursor->window + (place - cursor->window_place);
    *count = cursor->window_bytes - (size_t)(place - cursor->window_place);
    return fault_none();
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static int compare_keys(const struct warp_key *a, const struct warp_key *b)
{
    if (a->z != b->z)
        return a->z < b->z ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->warp != b->warp)
        return a->warp < b->warp ? -1 : 1;
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *const a = left, *const b = right;
    int const order = compare_keys(&a->key, &b->key);

    return order != 0 ? order : a->place < b->place ? -1 : a->place > b->place;
}

static struct fault spill_warp(struct warp_sort *sort, const struct entry *first, size_t count)
{
    struct piece piece = {.key = first->key, .lines = count};

    for (size_t i = 0; i < count; i++) {
        piece.bytes += first[i].bytes;
        piece.has_marked |= first[i].is_marked;
    }
    FORWARD(warp_sort_append(sort, &piece, sizeof piece));
    for (size_t i = 0; i < count; i++)
        FORWARD(warp_sort_append(sort, sort->memory + first[i].place, first[i].bytes));
    return fault_none();
}

/* Writes the gathered lines as a run. */
static struct fault spill(struct warp_sort *sort)
{
    struct run run = {.place = end_of_file(sort)};
    struct entry *entries;

    if (sort->entry_count == 0)
        return fault_none();
    entries = sort->entries_end - sort->entry_count;
    qsort(entries, sort->entry_count, sizeof *entries, compare_entries);
    for (size_t first = 0, behind; first < sort->entry_count; first = behind) {
        for (behind = first + 1; behind < sort->entry_count; behind++)
            if (compare_keys(&entries[behind].key, &entries[first].key) != 0)
                break;
        FORWARD(spill_warp(sort, entries + first, behind - first));
    }
    run.end = end_of_file(sort);
    sort->entry_count = 0;
    sort->text_used = 0;
    return add_run(sort, &run);
}

static bool warp_sort_has_room(const struct warp_sort *sort, size_t bytes)
{
    return sort->memory != NULL
        && sort->memory_bytes - sort->text_used >= (sort->entry_count + 1) * sizeof(struct entry) + bytes;
}

/* Makes room for one more line by writing the gathered lines to the file. */
static struct fault spill_for(struct warp_sort *sort, size_t bytes)
{
    size_t const least = (bytes / sizeof(struct entry) + 2) * sizeof(struct entry);

    FORWARD(spill(sort));
    if (sort->memory == NULL || sort->memory_bytes < least) {
        free(sort->memory);
        sort->memory_bytes = sort->memory_bytes > least ? sort->memory_bytes : least;
        sort->memory = malloc(sort->memory_bytes);
        if (sort->memory == NULL)
            return warp_sort_no_memory(sort);
        sort->entries_end = (struct entry *)(void *)(sort->memory + sort->memory_bytes);
    }
    return fault_none();
}

struct fault warp_sort_add(struct warp_sort *sort, const struct warp_line *line)
{
    size_t const bytes = line->head_bytes + line->rest_bytes + 1;
    char *text;

    if (!warp_sort_has_room(sort, bytes))
        FORWARD(spill_for(sort, bytes));
    text = sort->memory + sort->text_used;
    sort->entry_count++;
    *(sort->entries_end - sort->entry_count) = (struct entry){
        .key = line->key, .place = (uint32_t)sort->text_used, .bytes = (uint32_t)bytes, .is_marked = line->is_marked
    };
    if (line->head_bytes > 0)
        memcpy(text, line->head, line->head_bytes);
    if (line->rest_bytes > 0)
        memcpy(text + line->head_bytes, line->rest, line->rest_bytes);
    text[bytes - 1] = '\n';
    sort->text_used += bytes;
    return fault_none();
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

/* Does cursor a come before cursor b? Those of one warp in the order of their runs. */
static bool is_before(const struct warp_sort *sort, unsigned a, unsigned b)
{
    int const order = compare_keys(&sort->cursors[a].piece.key, &sort->cursors[b].piece.key);

    return order != 0 ? order < 0 : a < b;
}

static void heap_push(struct warp_sort *sort, unsigned which)
{
    unsigned hole = sort->heap_count++;

    while (hole > 0 && is_before(sort, which, sort->heap[(hole - 1) / 2])) {
        sort->heap[hole] = sort->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    sort->heap[hole] = which;
}

static unsigned heap_pop(struct warp_sort *sort)
{
    unsigned const first = sort->heap[0], last = sort->heap[--sort->heap_count];
    unsigned hole = 0;

    for (unsigned child; (child = 2 * hole + 1) < sort->heap_count; hole = child) {
        if (child + 1 < sort->heap_count && is_before(sort, sort->heap[child + 1], sort->heap[child]))
            child++;
        if (!is_before(sort, sort->heap[child], last))
            break;
        sort->heap[hole] = sort->heap[child];
    }
    sort->heap[hole] = last;
    return first;
}

/* The cursor's next piece comes into the heap, if its run has one. */
static struct fault next_piece(struct warp_sort *sort, unsigned which)
{
    struct cursor *const cursor = &sort->cursors[which];
    const char *head;
    size_t count;

    if (cursor->at == cursor->end)
        return fault_none();
    FORWARD(warp_sort_look(sort, cursor, cursor->at, sizeof cursor->piece, &head, &count));
    memcpy(&cursor->piece, head, sizeof cursor->piece);
    cursor->text = cursor->at + sizeof cursor->piece;
    cursor->at = cursor->text + cursor->piece.bytes;
    heap_push(sort, which);
    return fault_none();
}

/* Begins to merge some neighbouring runs. */
static struct fault begin_merge(struct warp_sort *sort, const struct run *runs, unsigned count)
{
    FORWARD(warp_sort_flush(sort));
    sort->heap_count = sort->taken_count = 0;
    for (unsigned i = 0; i < count; i++) {
        sort->cursors[i].at = runs[i].place;
        sort->cursors[i].end = runs[i].end;
        sort->cursors[i].window_bytes = 0;
        FORWARD(next_piece(sort, i));
    }
    return fault_none();
}

static enum warp_step next_warp(struct warp_sort *sort, struct fault *error)
{
    struct warp_lines *const warp = &sort->warp;

    for (unsigned i = 0; i < sort->taken_count; i++)
        if (FAILS(*error, next_piece(sort, sort->taken[i])))
            return WARP_FAILED;
    sort->taken_count = 0;
    if (sort->heap_count == 0)
        return WARP_NO_MORE;
    *warp = (struct warp_lines){.key = sort->cursors[sort->heap[0]].piece.key};
    while (sort->heap_count > 0 && compare_keys(&sort->cursors[sort->heap[0]].piece.key, &warp->key) == 0) {
        unsigned const which = heap_pop(sort);
        struct piece const *const piece = &sort->cursors[which].piece;

        warp->lines += piece->lines;
        warp->bytes += piece->bytes;
        warp->has_marked = warp->has_marked || piece->has_marked;
        sort->taken[sort->taken_count++] = which;
    }
    warp_sort_rewind(sort);
    return WARP_GIVEN;
}

static struct fault copy_warp(struct warp_sort *sort)
{
    struct fault fault = fault_none();
    struct piece const piece = {
        .key = sort->warp.key, .lines = sort->warp.lines, .bytes = sort->warp.bytes,
        .has_marked = sort->warp.has_marked
    };
    enum warp_step step;
    const char *text;
    size_t bytes;

    FORWARD(warp_sort_append(sort, &piece, sizeof piece));
    while ((step = warp_sort_text(sort, &text, &bytes, &fault)) == WARP_GIVEN)
        FORWARD(warp_sort_append(sort, text, bytes));
    return step == WARP_NO_MORE ? fault_none() : fault;
}

/* Makes one run of some. */
static struct fault join_runs(struct warp_sort *sort, const struct run *runs, unsigned count, struct run *made)
{
    struct fault fault = fault_none();
    enum warp_step step;

    FORWARD(begin_merge(sort, runs, count));
    made->place = end_of_file(sort);
    while ((step = next_warp(sort, &fault)) == WARP_GIVEN)
        FORWARD(copy_warp(sort));
    made->end = end_of_file(sort);
    return step == WARP_NO_MORE ? fault_none() : fault;
}

/* From the last line added to the merging of at most FAN_IN runs. */
static struct fault end_adding(struct warp_sort *sort)
{
    FORWARD(spill(sort));
    free(sort->memory);
    sort->memory = NULL;
    while (sort->run_count > FAN_IN) {
        size_t made = 0;

        for (size_t i = 0; i < sort->run_count; i += FAN_IN) {
            size_t const left = sort->run_count - i;
            struct run run;

            FORWARD(join_runs(sort, sort->runs + i, left < FAN_IN ? (unsigned)left : FAN_IN, &run));
            sort->runs[made++] = run;
        }
        sort->run_count = made;
    }
    return begin_merge(sort, sort->runs, (unsigned)sort->run_count);
}

enum warp_step warp_sort_next(struct warp_sort *sort, struct warp_lines *warp, struct fault *error)
{
    enum warp_step step;

    if (!sort->is_merging && FAILS(*error, end_adding(sort)))
        return WARP_FAILED;
    sort->is_merging = true;
    step = next_warp(sort, error);
    *warp = sort->warp;
    return step;
}

void warp_sort_rewind(struct warp_sort *sort)
{
    sort->reading = 0;
    sort->read_bytes = 0;
}

enum warp_step warp_sort_text(struct warp_sort *sort, const char **text, size_t *bytes, struct fault *error)
{
    struct cursor *cursor;
    uint64_t left;

    if (sort->reading < sort->taken_count
        && sort->read_bytes == sort->cursors[sort->taken[sort->reading]].piece.bytes) {
        sort->reading++;
        sort->read_bytes = 0;
    }
    if (sort->reading == sort->taken_count)
        return WARP_NO_MORE;
    cursor = &sort->cursors[sort->taken[sort->reading]];
    left = cursor->piece.bytes - sort->read_bytes;
    for (size_t wanted = 1, some;; wanted = 2 * some < left ? 2 * some : (size_t)left) {
        const char *end;

        if (FAILS(*error, warp_sort_look(sort, cursor, cursor->text + sort->read_bytes, wanted, text, &some)))
            return WARP_FAILED;
        some = some < left ? some : (size_t)left;
        for (end = *text + some; end > *text && end[-1] != '\n'; end--)
            continue;
        *bytes = (size_t)(end - *text);
        if (*bytes > 0)
            break;
    }
    sort->read_bytes += *bytes;
    return WARP_GIVEN;
}
