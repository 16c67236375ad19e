/* Libraries of the host that are loaded when they are needed, so that the command runs where they are missing.
 *
 * Use: host_library_open with the name under which the loader finds it, host_library_find for each function that is
 * called; host_library_close, unless it stays until the process ends.
 * Ownership: the caller's, from open to close. Errors: by the answer; why is in dlerror. */
#ifndef BASE_HOST_LIBRARY_H
#define BASE_HOST_LIBRARY_H

#include <stdbool.h>

/* NULL: it cannot be loaded. */
void *host_library_open(const char *file);
/* Puts the address of a function into a pointer to one. False: the library does not have it; the pointer is NULL. */
bool host_library_find(void *library, const char *name, void *function);
/* NULL is fine. */
void host_library_close(void *library);

#endif
