#include "cli/store_folder.h"

#include <stdio.h>
#include <stdlib.h>

const char *cli_store_folder(const char *given, bool is_off, char room[STORE_CACHE_PATH_MAX])
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    int length = STORE_CACHE_PATH_MAX;

    if (given || is_off)
        return is_off ? NULL : given;
    /* only absolute paths count there */
    if (cache && cache[0] == '/')
        length = snprintf(room, STORE_CACHE_PATH_MAX, "%s/rubato", cache);
    else if (home && home[0] == '/')
        length = snprintf(room, STORE_CACHE_PATH_MAX, "%s/.cache/rubato", home);
    return length < STORE_CACHE_PATH_MAX ? room : NULL;
}
