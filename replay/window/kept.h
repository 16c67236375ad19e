/* What was learnt of a trace, kept in its store.
 *
 * Use: window_kept_find for the setup of a window; where it finds nothing, the trace is to be learnt from, and
 * window_kept_add keeps that. window_kept_learn does both for a store alone, window_kept_pack while one is being
 * made.
 * Ownership: bytes are the store's. */
#ifndef REPLAY_WINDOW_KEPT_H
#define REPLAY_WINDOW_KEPT_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/text.h"
#include "proto/store/store.h"

struct window_setup;

/* Sets learnt and learnt_bytes if the store has tables learnt by these rules. A fault: they are damaged. */
struct fault window_kept_find(const struct store *store, struct window_setup *setup);
/* To a store file, in place of what it had. */
struct fault window_kept_add(const char *path, const struct text *learnt);
/* Reads the records of a store file, and adds what they tell. */
struct fault window_kept_learn(const char *path);
/* As store_pack (proto/store/pack.h), and the store has learnt. A trace that the model does not take is told only if
 * it `must`; else its store is without. */
struct fault window_kept_pack(const char *dep_path, const char *fetch_path, const char *store_path, bool must);

#endif
