/* What a measurement says of the keys of a system: values with the benchmark that each is from, and what is not known
 * with the reason.
 *
 * Use: found_read after the measurement; found_settings for a system (config_set_all); found_write as YAML.
 * Keys are whole ("l1d.size"). A key that is not known stays at the default and is a comment in the file.
 * Ownership: values. Errors: FAULT_MEMORY. */
#ifndef SWEEP_MEASURE_FOUND_SYSTEM_H
#define SWEEP_MEASURE_FOUND_SYSTEM_H

#include <stdio.h>

#include "sweep/measure/measure_plan.h"

enum { FOUND_KEY = 40, FOUND_VALUE = 40, FOUND_NOTE = 200 };

struct finding {
    char key[FOUND_KEY];               /* "": a remark of the section of `section` */
    char value[FOUND_VALUE];           /* "": unknown */
    bool is_doubtful;                  /* unknown, since its benchmark was disturbed; replays use it all the same */
    char note[FOUND_NOTE];             /* where it is from, or why it is not known */
};

struct found_system {
    struct finding *list;
    size_t count, room;
    uint64_t level_bytes[CURVE_MOST_LEVELS];     /* of the caches that there are */
    unsigned caches;                     /* levels of caches */
    bool is_out_of_memory;
};

void found_free(struct found_system *system);
/* Directly from the measurement. */
struct fault found_read(struct found_system *system, const struct measurement *measurement);
/* value: NULL: unknown. Replaces what was known of the key. */
void found_set(struct found_system *system, const char *key, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A key that is unknown since its benchmark was disturbed, with the nearest value, which replays use. */
void found_set_doubtful(struct found_system *system, const char *key, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool finding_is_known(const struct finding *finding);
/* That replays use. NULL: unknown. */
const char *found_value(const struct found_system *system, const char *key);
/* "key=value" of each that replays use, to be freed with the list; *count of them. NULL: out of memory. */
char **found_settings(const struct found_system *system, size_t *count);
void found_settings_free(char **settings, size_t count);
/* YAML below comments of its head, which is whole lines without "# ". */
void found_write(const struct found_system *system, const char *head, FILE *to);

/* The footprint that stands for a level of caches, from 0; of memory the level behind them. */
uint64_t found_footprint(const struct found_system *system, const struct measurement *measurement, unsigned level);

#endif
