/* What a module is, as text on standard output. */
#ifndef CLI_PLUGIN_PLUGIN_SHOW_H
#define CLI_PLUGIN_PLUGIN_SHOW_H

#include <stdbool.h>

struct rubato_module;

/* A module of this version with a name; NULL: the error, with `name` for the file, is printed. */
const struct rubato_module *plugin_load(const char *path, const char *name);
/* Loads the module of that path; name: in what is printed. brief: one line. An exit code. */
int plugin_show(const char *path, const char *name, bool is_brief);

#endif
