/* A shared object that the user has named: checked, then loaded into the process.
 *
 * Use: shared_object_load with a path that has a slash; the loader's search path is never asked. The file's header is
 * read before it is loaded, so that one of another architecture gets an error of our own. An object stays loaded until
 * the process ends, and one that is named again is not loaded again.
 * Ownership: nothing to free. Errors: FAULT_INPUT with the path, what was expected and how to mend it. */
#ifndef BASE_SHARED_OBJECT_H
#define BASE_SHARED_OBJECT_H

#include <stdint.h>

#include "base/fault.h"

struct shared_object {
    const void *symbol;
    uint64_t digest;                     /* of the file's contents */
};

/* symbol: its name. expected: what has such a symbol, for the error ("a module of rubato"). */
struct fault shared_object_load(struct shared_object *object, const char *path, const char *symbol,
                                const char *expected);

#endif
