/* Each file is one entry for the life of the process, found by device and inode; each reading of it is one reader.
 * Mappings have a list of their own that only grows, so that a signal handler can walk it: an entry of it is used
 * again after its mapping has gone. */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/harmless.h"

enum { BUCKETS = 1024, TICK_NS = 10 * 1000 * 1000, SECOND_NS = 1000 * 1000 * 1000 };

struct mark {
    off_t size;
    struct timespec modified, changed;
    nlink_t names;
    mode_t mode;
    uid_t user;
    gid_t group;
};

struct entry {
    struct entry *next;
    dev_t device;
    ino_t inode;
    char *name;
    uint64_t change;                     /* number of the latest change that was found; 0: none */
    bool is_input, is_made;
};

struct mapping {
    struct mapping *next;
    _Atomic(const char *) bytes;         /* NULL: not in use */
    size_t size;
    char *name;
    bool is_copy;
};

struct input_file {
    struct input_file *next, *previous;
    struct entry *entry;
    struct mark mark;                    /* as it was at the beginning */
    int descriptor;                      /* -1: closed for a while */
    bool is_changed;
    struct mapping *mapping;
};

static struct {
    pthread_mutex_t lock;
    struct entry *buckets[BUCKETS];
    struct input_file *readers;
    _Atomic(struct mapping *) mappings;
    uint64_t changes;
    atomic_bool are_kept;
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define MOST_COPIED ((size_t)1 << 30)

static _Thread_local unsigned looking, copying;

static struct mark mark_of(const struct stat *about)
{
    return (struct mark){.size = about->st_size, .modified = about->st_mtim, .changed = about->st_ctim,
                         .names = about->st_nlink, .mode = about->st_mode, .user = about->st_uid,
                         .group = about->st_gid};
}

static bool is_same_time(struct timespec one, struct timespec other)
{
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

/* The time of change alone is that of a new name, owner or mode as well. */
static bool is_unchanged(const struct mark *before, const struct mark *now)
{
    return before->size == now->size && is_same_time(before->modified, now->modified)
        && (is_same_time(before->changed, now->changed) || before->names != now->names || before->mode != now->mode
            || before->user != now->user || before->group != now->group);
}

static struct entry **input_file_bucket_of(const struct stat *about)
{
    return &files.buckets[(about->st_ino ^ about->st_dev) % BUCKETS];
}

static struct entry *input_file_find(const struct stat *about)
{
    for (struct entry *entry = *input_file_bucket_of(about); entry; entry = entry->next)
        if (entry->device == about->st_dev && entry->inode == about->st_ino)
            return entry;
    return NULL;
}

/* The entry of a file, with the name by which it was opened last; NULL: no memory. */
static struct entry *input_file_enter(const struct stat *about, const char *path)
{
    struct entry *entry = input_file_find(about);
    char *const name = strdup(path);

    if (!name)
        return NULL;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry) {
            free(name);
            return NULL;
        }
        *entry = (struct entry){.next = *input_file_bucket_of(about), .device = about->st_dev, .inode = about->st_ino};
        *input_file_bucket_of(about) = entry;
    }
    free(entry->name);
    entry->name = name;
    entry->is_input = !entry->is_made;
    return entry;
}

/* Has the host's clock, as the file system sees it, gone on since the file was written to? Else waits. */
static void wait_for_tick(const struct stat *about)
{
    struct timespec now, pause = {0};
    int64_t past_ns;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return;
    past_ns = (int64_t)(now.tv_sec - about->st_ctim.tv_sec);
    if (past_ns < 0 || past_ns > 1)
        return;
    past_ns = past_ns * SECOND_NS + now.tv_nsec - about->st_ctim.tv_nsec;
    if (past_ns < 0 || past_ns >= TICK_NS)
        return;
    pause.tv_nsec = (long)(TICK_NS - past_ns);
    nanosleep(&pause, NULL);
}

struct input_file *input_file_begin(int descriptor, const char *path)
{
    struct input_file *file;
    struct stat about;

    if (looking > 0 || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return NULL;
    if (files.are_kept)
        wait_for_tick(&about);
    file = calloc(1, sizeof *file);
    if (!file || fstat(descriptor, &about) != 0) {
        free(file);
        return NULL;
    }
    *file = (struct input_file){.descriptor = descriptor, .mark = mark_of(&about)};
    pthread_mutex_lock(&files.lock);
    file->entry = input_file_enter(&about, path);
    if (file->entry) {
        file->next = files.readers;
        if (file->next)
            file->next->previous = file;
        files.readers = file;
    }
    pthread_mutex_unlock(&files.lock);
    if (file->entry)
        return file;
    free(file);
    return NULL;
}

/* Looks at it, with the lock held. One that is closed for a while is found by its name. */
static void input_file_look(struct input_file *file)
{
    struct stat about;
    struct mark now;
    bool const is_there = file->descriptor >= 0 ? fstat(file->descriptor, &about) == 0
                                                : stat(file->entry->name, &about) == 0;

    if (file->is_changed || (!is_there && file->descriptor >= 0))
        return;
    now = mark_of(&about);
    if (is_there && about.st_dev == file->entry->device && about.st_ino == file->entry->inode
        && is_unchanged(&file->mark, &now))
        return;
    file->is_changed = true;
    file->entry->change = ++files.changes;
}

void input_file_reopened(struct input_file *file, int descriptor)
{
    if (!file)
        return;
    pthread_mutex_lock(&files.lock);
    if (descriptor < 0)
        input_file_look(file);
    file->descriptor = descriptor;
    if (descriptor >= 0)
        input_file_look(file);
    pthread_mutex_unlock(&files.lock);
}

void input_file_end(struct input_file *file)
{
    if (!file)
        return;
    pthread_mutex_lock(&files.lock);
    if (file->descriptor >= 0)
        input_file_look(file);
    *(file->previous ? &file->previous->next : &files.readers) = file->next;
    if (file->next)
        file->next->previous = file->previous;
    pthread_mutex_unlock(&files.lock);
    free(file);
}

void input_file_look_begin(void)
{
    looking++;
}

void input_file_look_end(void)
{
    looking--;
}

FILE *input_file_fopen(const char *path)
{
    FILE *const stream = fopen(path, "rbe");

    if (stream)
        input_file_begin(fileno(stream), path);
    return stream;
}

static struct input_file *reader_of(int descriptor)
{
    struct input_file *file;

    pthread_mutex_lock(&files.lock);
    for (file = files.readers; file && file->descriptor != descriptor; file = file->next) { }
    pthread_mutex_unlock(&files.lock);
    return file;
}

void input_file_fclose(FILE *stream)
{
    input_file_end(reader_of(fileno(stream)));
    fclose(stream);
}

/* ---- mappings */
void input_file_copy_begin(void)
{
    copying++;
}

void input_file_copy_end(void)
{
    copying--;
}

/* All of the file in memory of our own; MAP_FAILED: errno says why. Bytes missing at its end are zero, and noticed as
 * a change of its size. */
static void *copy_of(int descriptor, size_t size)
{
    char *const bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ssize_t got = 1;

    if (bytes == MAP_FAILED)
        return MAP_FAILED;
    for (size_t done = 0; done < size && got != 0; done += got > 0 ? (size_t)got : 0) {
        got = pread(descriptor, bytes + done, size - done, (off_t)done);
        if (got < 0 && errno != EINTR) {
            munmap(bytes, size);
            return MAP_FAILED;
        }
    }
    return bytes;
}

static char *harmless_copy(const char *name)
{
    char *const copy = strdup(name);
    size_t const length = copy ? strlen(copy) : 0;

    for (size_t at = 0; at < length; at++) {
        at += harmless_bytes(copy + at, length - at);
        if (at < length)
            copy[at] = '?';
    }
    return copy;
}

static struct mapping *add_mapping(const char *path, const void *bytes, size_t size, bool is_copy)
{
    struct mapping *mapping;

    pthread_mutex_lock(&files.lock);
    for (mapping = files.mappings; mapping && mapping->bytes; mapping = mapping->next) { }
    if (!mapping) {
        mapping = calloc(1, sizeof *mapping);
        if (mapping) {
            mapping->next = files.mappings;
            files.mappings = mapping;
        }
    }
    if (mapping) {
        free(mapping->name);
        mapping->name = harmless_copy(path);
        mapping->size = size;
        mapping->is_copy = is_copy;
        mapping->bytes = bytes;
    }
    pthread_mutex_unlock(&files.lock);
    return mapping;
}

struct input_file *input_file_map(int descriptor, const char *path, const void **bytes, size_t size)
{
    unsigned const was_looking = looking;
    struct input_file *file;
    bool const copies = copying > 0 && size <= MOST_COPIED;
    void *map;

    looking = 0;                             /* a mapping is watched in any case */
    file = input_file_begin(descriptor, path);
    looking = was_looking;
    map = !file ? MAP_FAILED : copies ? copy_of(descriptor, size)
                                      : mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);

    if (file && map != MAP_FAILED)
        file->mapping = add_mapping(path, map, size, copies);
    if (file && file->mapping) {
        *bytes = map;
        return file;
    }
    if (!file || map != MAP_FAILED)
        errno = ENOMEM;
    if (map != MAP_FAILED)
        munmap(map, size);
    input_file_end(file);
    return NULL;
}

void input_file_unmap(struct input_file *file)
{
    int const descriptor = file ? file->descriptor : -1;

    if (!file)
        return;
    if (file->mapping) {
        munmap((void *)(uintptr_t)file->mapping->bytes, file->mapping->size);
        file->mapping->bytes = NULL;
    }
    input_file_end(file);
    close(descriptor);
}

bool input_file_is_mapped(const struct input_file *file)
{
    return file && file->mapping && !file->mapping->is_copy;
}

const char *input_file_at(const void *address)
{
    for (const struct mapping *mapping = files.mappings; mapping; mapping = mapping->next) {
        const char *const bytes = mapping->bytes;

        /* by pages: the bytes behind the end of a truncated file are in its mapping too */
        if (bytes && (uintptr_t)address >= (uintptr_t)bytes && (uintptr_t)address - (uintptr_t)bytes < mapping->size)
            return mapping->name ? mapping->name : "a file";
    }
    return NULL;
}

/* ---- all files */
uint64_t input_file_changes(void)
{
    uint64_t changes;

    pthread_mutex_lock(&files.lock);
    changes = files.changes;
    pthread_mutex_unlock(&files.lock);
    return changes;
}

/* Of a file that changed, with the lock held; NULL: none. */
static const struct entry *find_changed(uint64_t since, bool is_mapped)
{
    for (struct input_file *file = files.readers; file; file = file->next) {
        if (is_mapped && !file->mapping)
            continue;
        input_file_look(file);
        if (file->is_changed)
            return file->entry;
    }
    for (size_t i = 0; files.changes > since && !is_mapped && i < BUCKETS; i++)
        for (const struct entry *entry = files.buckets[i]; entry; entry = entry->next)
            if (entry->change > since)
                return entry;
    return NULL;
}

static struct fault input_file_check_part(uint64_t since, bool is_mapped)
{
    struct fault fault = fault_none();
    const struct entry *changed;

    pthread_mutex_lock(&files.lock);
    changed = find_changed(since, is_mapped);
    if (changed)
        fault = fault_at(changed->name, FAULT_NO_OFFSET, "was changed while it was read, so nothing that came of it "
                         "can be relied upon; run again without writing to it");
    pthread_mutex_unlock(&files.lock);
    return fault;
}

struct fault input_file_check(uint64_t since)
{
    return input_file_check_part(since, false);
}

struct fault input_file_check_mapped(void)
{
    return input_file_check_part(0, true);
}

void input_file_note(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    pthread_mutex_lock(&files.lock);
    input_file_enter(&about, path);
    pthread_mutex_unlock(&files.lock);
}

void input_file_forget(const char *path)
{
    struct entry *entry;
    struct stat about;

    if (stat(path, &about) != 0)
        return;
    pthread_mutex_lock(&files.lock);
    entry = input_file_find(&about);
    if (entry)
        entry->is_input = false;
    pthread_mutex_unlock(&files.lock);
}

void input_file_made(const struct stat *about)
{
    struct entry *entry;

    pthread_mutex_lock(&files.lock);
    entry = input_file_find(about);
    if (!entry)
        entry = input_file_enter(about, "");
    if (entry) {
        entry->is_made = true;
        entry->is_input = false;
    }
    pthread_mutex_unlock(&files.lock);
}

/* Is the file being read, or, if inputs are kept, still under its name? Else its inode may be another file's by now. */
static bool input_file_is_current(const struct entry *entry)
{
    struct stat named;

    for (const struct input_file *file = files.readers; file; file = file->next)
        if (file->entry == entry)
            return true;
    return files.are_kept && stat(entry->name, &named) == 0 && named.st_dev == entry->device
        && named.st_ino == entry->inode;
}

void input_file_keep(void)
{
    files.are_kept = true;
}

bool input_file_is_input(const struct stat *about)
{
    const struct entry *entry;
    bool is_input;

    pthread_mutex_lock(&files.lock);
    entry = input_file_find(about);
    is_input = entry && entry->is_input && input_file_is_current(entry);
    pthread_mutex_unlock(&files.lock);
    return is_input;
}

struct file_mark file_mark_look(const char *path)
{
    struct stat file;

    if (stat(path, &file) != 0)
        return (struct file_mark){.size_bytes = UINT64_MAX};
    return (struct file_mark){
        .device = (uint64_t)file.st_dev, .inode = (uint64_t)file.st_ino, .size_bytes = (uint64_t)file.st_size,
        .modified_s = file.st_mtim.tv_sec, .modified_ns = file.st_mtim.tv_nsec,
        .changed_s = file.st_ctim.tv_sec, .changed_ns = file.st_ctim.tv_nsec
    };
}

bool file_mark_is_same(const struct file_mark *one, const struct file_mark *other)
{
    return one->device == other->device && one->inode == other->inode && one->size_bytes == other->size_bytes
        && one->modified_s == other->modified_s && one->modified_ns == other->modified_ns
        && one->changed_s == other->changed_s && one->changed_ns == other->changed_ns;
}
