/* The version is include/rubato.h's. Libraries say their own as they run; of those that are loaded when needed, the
 * versions are those of the headers that the command was built with. */
#include "cli/options/help.h"

#include <google/protobuf-c/protobuf-c.h>
#include <jansson.h>
#include <lzma.h>
#include <sqlite3.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>
#ifdef RUBATO_ISAL
#include <isa-l.h>
#endif
#ifdef RUBATO_ARCHIVE
#include <archive.h>
#endif
#ifdef RUBATO_DW
#include <elfutils/version.h>
#endif
#ifdef RUBATO_ZYDIS
#include <Zydis/Zydis.h>
#endif
#ifdef RUBATO_SDL
#include <SDL_version.h>
#include <png.h>
#endif

#include "cli/commit.h"
#include "cli/common/cli.h"
#include "cli/model_digest.h"
#include "memsys/sim/sim_engine.h"

static void print_engine(FILE *to)
{
    struct engine_options const fast = engine_fast();
    const char *comma = "";

    fputs("engine        fast: ", to);
#define NAME(name, help)                                                                                              \
    if (fast.name) {                                                                                                  \
        fprintf(to, "%s%s", comma, #name);                                                                            \
        comma = ", ";                                                                                                 \
    }
    ENGINE_FAST_PATHS(NAME)
#undef NAME
    fprintf(to, "; model %s\n", RUBATO_MODEL_DIGEST);
}

static void print_optional(FILE *to)
{
    fputs("when needed   ", to);
#ifdef RUBATO_ISAL
    fprintf(to, "libisal %d.%d.%d, ", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    fputs("no libisal, ", to);
#endif
#ifdef RUBATO_ARCHIVE
    fprintf(to, "libarchive %s, ", ARCHIVE_VERSION_ONLY_STRING);
#else
    fputs("no libarchive, ", to);
#endif
#ifdef RUBATO_ZYDIS
    fprintf(to, "Zydis %d.%d.%d, ", (int)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), (int)ZYDIS_VERSION_MINOR(ZYDIS_VERSION),
            (int)ZYDIS_VERSION_PATCH(ZYDIS_VERSION));
#else
    fputs("no Zydis, ", to);
#endif
#ifdef RUBATO_DW
    fprintf(to, "libdw %d.%d, ", _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000);
#else
    fputs("no libdw, ", to);
#endif
#ifdef RUBATO_SDL
    fprintf(to, "SDL %d.%d.%d, libpng %s\n", SDL_MAJOR_VERSION, SDL_MINOR_VERSION, SDL_PATCHLEVEL,
            PNG_LIBPNG_VER_STRING);
#else
    fputs("no SDL\n", to);
#endif
}

void version_print(FILE *to)
{
    fprintf(to, "rubato %s\n", RUBATO_VERSION);
    fprintf(to, "commit        %s\n", *RUBATO_COMMIT ? RUBATO_COMMIT : "unknown: not built from a git clone");
#ifdef __clang__
    fprintf(to, "compiler      clang %s, %s build\n", __clang_version__, RUBATO_BUILD);
#else
    fprintf(to, "compiler      gcc %s, %s build\n", __VERSION__, RUBATO_BUILD);
#endif
    print_engine(to);
    fprintf(to, "libraries     protobuf-c %s, zlib %s, liblzma %s, libzstd %s, libyaml %s, jansson %s, SQLite %s\n",
            protobuf_c_version(), zlibVersion(), lzma_version_string(), ZSTD_versionString(), yaml_get_version_string(),
            JANSSON_VERSION, sqlite3_libversion());
    print_optional(to);
}
