/* The states of a trace's regions, in a file beside the regions: chunks of proto/container/container.h, each with its
 * hash.
 *
 * Use: warm_file_begin, warm_file_add in the order of places, warm_file_end; a file that was not ended keeps all states
 * that were added, and warm_file_begin goes on behind them. To read: warm_file_open, warm_file_next for each state in
 * the order of places, warm_file_close. A file belongs to one trace, one list of places, and one wish of its maker,
 * which warm_file_key tells apart.
 * Errors: FAULT_INPUT for a file that is cut, damaged, or of other regions, with what to do. */
#ifndef REPLAY_WARM_WARM_FILE_H
#define REPLAY_WARM_WARM_FILE_H

#include "replay/warm/warm_record.h"

struct warm_file_key {
    uint64_t trace_bytes, trace_hash;
    uint64_t wish;                       /* hash of what the regions were made with; 0: not looked at */
};

struct warm_file;
struct warm_file_writer;

/* Begins a file, or opens one that was not ended and has the same key. *done: states that it has; `last` the latest of
 * them with all pages before it, to be freed; count of places: of all states that will be in it.
 * NULL: FAULT. */
struct warm_file_writer *warm_file_begin(const char *path, const struct warm_file_key *key, size_t *done,
                                         struct warm_state *last, struct fault *fault);
struct fault warm_file_add(struct warm_file_writer *writer, const struct warm_state *state);
/* Frees the writer in any case; is_whole: all have been added. */
struct fault warm_file_end(struct warm_file_writer *writer, bool is_whole);
uint64_t warm_file_bytes(const struct warm_file_writer *writer);

/* Is there an unfinished file of that key? */
bool warm_file_is_begun(const char *path, const struct warm_file_key *key);
/* NULL: FAULT. */
struct warm_file *warm_file_open(const char *path, const struct warm_file_key *key, struct fault *fault);
/* Is there a state of that place? The fault says what to do. */
struct fault warm_file_check_place(const struct warm_file *file, uint64_t place);
/* The next state that is not behind `place`, in place of the one before. `state`: {0} at first, and the caller's, also
 * after a fault. *is_there false: there is no more, and the state is as before. */
struct fault warm_file_next(struct warm_file *file, uint64_t place, struct warm_state *state, bool *is_there);
void warm_file_close(struct warm_file *file);
/* A file is there? It may be damaged. */
bool warm_file_is_there(const char *path);
/* Removes one; other files stay. */
void warm_file_remove(const char *path);

#endif
