/* Options of GPGPU-Sim and Accel-Sim (gpgpusim.config, trace.config) become a system with a GPU and no cores.
 *
 * Use: config_import_begin; config_import_read for each text, later ones over earlier ones; config_import_system for a
 * whole system, or config_import_change to change a system that is there; config_import_notes says which options have
 * no counterpart; config_import_end. The table in import.c has the key of each option.
 *
 * Texts: `-option value`, several a line or one over several lines, values in quotes or not, # to the end of a line is
 * a comment. Faults name file, line and option. Ownership: options are copied; texts from here are the caller's to
 * free. */
#ifndef REPLAY_CONFIG_IMPORT_H
#define REPLAY_CONFIG_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct system_config;


struct config_import_option {
    char *name, *value;                  /* without the dash; "" if it has no value */
    char file[64];                       /* its end, if it is long */
    size_t line;
};

struct config_import {
    struct config_import_option *options;
    size_t count, capacity;
};

void config_import_begin(struct config_import *import);
void config_import_end(struct config_import *import);

/* name: of the file in faults. */
struct fault config_import_read(struct config_import *import, const char *name, const char *text, size_t length);

/* A system of these options; those that are not given have the reference's defaults. Finished. */
struct fault config_import_system(const struct config_import *import, const char *name, struct system_config *config);

/* Changes a system by the options that are given. config_finish is the caller's. */
struct fault config_import_change(const struct config_import *import, struct system_config *config);

/* Comments in YAML that name all options that the system does not reflect, and why; *count of them matter for time. */
struct fault config_import_notes(const struct config_import *import, char **text, size_t *count);

/* The present name of an option that had another name in earlier versions. */
const char *config_import_name(const char *name);

/* The last option of this name, or of an earlier version's for it; NULL: not given. */
const struct config_import_option *config_import_find(const struct config_import *import, const char *name);

/* Whether the system reflects an option of this name. */
bool config_import_is_known(const char *name);

#endif
