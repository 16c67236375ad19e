/* Where commands keep stores of traces: --cache, --no-cache, or the usual folder. */
#ifndef CLI_STORE_FOLDER_H
#define CLI_STORE_FOLDER_H

#include "replay/session/store_cache.h"

/* given: of --cache; NULL: $XDG_CACHE_HOME/rubato or ~/.cache/rubato, for which `room` is used. NULL: no stores are
 * kept, as neither variable is set, the path is too long, or is_off says so. */
const char *cli_store_folder(const char *given, bool is_off, char room[STORE_CACHE_PATH_MAX]);

#endif
