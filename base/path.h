/* Paths and names of files as texts. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

bool text_ends_in(const char *text, const char *ending);
bool text_begins(const char *text, const char *beginning);
/* The part behind the last '/'. */
const char *path_name(const char *path);
bool path_is_folder(const char *path);
/* A pipe, a terminal or another device: it is there, and can be read but once. */
bool path_is_pipe(const char *path);
/* The two with one '/' between them, to be freed; NULL: out of memory. An empty folder is the working one. */
char *path_join(const char *folder, const char *name);

#endif
