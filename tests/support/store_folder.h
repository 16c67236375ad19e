/* A folder for one store, and numbers to fill it with. The program must ask for POSIX 2008 before all includes.
 *
 * Use: set_up_store_folder and tear_down_store_folder around all tests; the store is at store_path. */
#ifndef TESTS_STORE_FOLDER_H
#define TESTS_STORE_FOLDER_H

#include <unistd.h>

#include "tests/support/unit.h"

static char store_folder[] = "/tmp/rubato-test-XXXXXX";
static char store_path[64];

static inline int set_up_store_folder(void **state)
{
    if (mkdtemp(store_folder) == NULL)
        return 1;
    snprintf(store_path, sizeof store_path, "%s/store", store_folder);
    return 0;
}

static inline int tear_down_store_folder(void **state)
{
    unlink(store_path);
    return rmdir(store_folder);
}

static inline uint64_t pick(uint64_t below)
{
    return (uint64_t)rand() % below;
}

#endif
