/* A connection of its own, as SQLite asks for: a passive checkpoint copies what is in the log, syncs both files, and
 * lets writer and readers go on meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/results_copier.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

#define BYTES_A_COPY ((size_t)2 << 20)

struct copier {
    sqlite3 *database;
    pthread_t thread;
    pthread_mutex_t mutex;               /* of what follows */
    pthread_cond_t changed;
    size_t bytes;                        /* since the last copy began */
    bool is_ended;
};

/* Waits until there is something to do. False: it is the end. */
static bool wait_for_work(struct copier *copier)
{
    bool is_ended;

    pthread_mutex_lock(&copier->mutex);
    while (copier->bytes < BYTES_A_COPY && !copier->is_ended)
        pthread_cond_wait(&copier->changed, &copier->mutex);
    copier->bytes = 0;
    is_ended = copier->is_ended;
    pthread_mutex_unlock(&copier->mutex);
    return !is_ended;
}

static void *copy(void *self)
{
    struct copier *const copier = self;

    while (wait_for_work(copier))
        sqlite3_wal_checkpoint_v2(copier->database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return NULL;
}

/* Signals are the caller's. */
static bool start_thread(struct copier *copier)
{
    sigset_t all, before;
    bool is_started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started = pthread_create(&copier->thread, NULL, copy, copier) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

struct copier *copier_start(const char *path)
{
    /* that there is a log shows only when something is read */
    static const char look[] = "PRAGMA synchronous = NORMAL; SELECT count(*) FROM sqlite_schema";
    struct copier *const copier = sqlite3_threadsafe() ? calloc(1, sizeof *copier) : NULL;

    if (!copier)
        return NULL;
    pthread_mutex_init(&copier->mutex, NULL);
    pthread_cond_init(&copier->changed, NULL);
    if (sqlite3_open_v2(path, &copier->database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK
        && sqlite3_exec(copier->database, look, NULL, NULL, NULL) == SQLITE_OK && start_thread(copier))
        return copier;
    sqlite3_close(copier->database);
    free(copier);
    return NULL;
}

void copier_tell(struct copier *copier, size_t bytes)
{
    if (!copier)
        return;
    pthread_mutex_lock(&copier->mutex);
    copier->bytes += bytes;
    if (copier->bytes >= BYTES_A_COPY)
        pthread_cond_signal(&copier->changed);
    pthread_mutex_unlock(&copier->mutex);
}

void copier_end(struct copier *copier)
{
    if (!copier)
        return;
    pthread_mutex_lock(&copier->mutex);
    copier->is_ended = true;
    pthread_cond_signal(&copier->changed);
    pthread_mutex_unlock(&copier->mutex);
    pthread_join(copier->thread, NULL);
    sqlite3_close(copier->database);
    pthread_cond_destroy(&copier->changed);
    pthread_mutex_destroy(&copier->mutex);
    free(copier);
}
