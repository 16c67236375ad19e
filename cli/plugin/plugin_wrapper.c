/* A class is included, hooks are linked: so their sources stay as they are. */
#include "cli/plugin/plugin_wrapper.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of the file or folder, without what no name of a module has. */
static void name_of(const char *source, char name[64])
{
    size_t length = strlen(source), begin;

    while (length > 1 && source[length - 1] == '/')
        length--;
    for (begin = length; begin > 0 && source[begin - 1] != '/';)
        begin--;
    snprintf(name, 64, "%.*s", (int)(length - begin < 63 ? length - begin : 63), source + begin);
    if (strchr(name + 1, '.'))
        *strchr(name + 1, '.') = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* A source beside the module's own, which makes a module of its hooks. */
static void write_members(const struct champsim_source *champsim, const char *source, const char *header,
                          FILE *wrapper)
{
    char name[64];

    name_of(source, name);
    fprintf(wrapper, "#define RUBATO_CHAMPSIM_NAME \"%s\"\n", name);
    for (unsigned bit = 0; bit < CHAMPSIM_HAS_COUNT; bit++)
        if (champsim->has & 1u << bit)
            fprintf(wrapper, "#define RUBATO_HAS_%s\n", champsim_has_name((enum champsim_has_bit)bit));
    fprintf(wrapper, "#define RUBATO_CONTEST_PREFETCHERS %uu\n#define RUBATO_CONTEST_POLICIES %uu\n%s"
            "#include <%s>\n", champsim->prefetchers, champsim->policies,
            champsim->crosses_pages ? "#define RUBATO_CONTEST_CROSSES\n" : "", header);
}

/* A source that includes the class and makes a module of it, in place of the one that defines it. */
static bool write_class(const struct champsim_source *champsim, FILE *wrapper)
{
    char *const file = realpath(champsim->file, NULL);

    if (file)
        fprintf(wrapper, "%s#include \"%s\"\n#include <rubato_champsim.h>\n#include <rubato_private.h>\n"
                "RUBATO_CHAMPSIM_%s(%s)\n",
                champsim->has & CHAMPSIM_NUM_CPUS ? "#define RUBATO_HAS_NUM_CPUS\n" : "", file, champsim->kind,
                champsim->class);
    free(file);
    return file != NULL;
}

/* Of a kit: `header` makes a module of its functions or class, which file defines; NULL: another source does. */
static bool write_kit(const char *file, const char *header, const char *source, FILE *wrapper)
{
    char *const path = file ? realpath(file, NULL) : NULL;
    bool const is_written = path || !file;
    char name[64];

    name_of(source, name);
    if (path)
        fprintf(wrapper, "#include \"%s\"\n", path);
    fprintf(wrapper, "#define RUBATO_CHAMPSIM_NAME \"%s\"\n#include <%s>\n", name, header);
    free(path);
    return is_written;
}

bool plugin_wrapper_write(const struct champsim_source *champsim, enum champsim_api api, const char *source,
                          const char *path)
{
    FILE *const wrapper = fopen(path, "w");
    bool is_written = wrapper != NULL;

    if (wrapper && api == CHAMPSIM_G2)
        is_written = write_class(champsim, wrapper);
    else if (wrapper && api == CHAMPSIM_CRC2)
        is_written = write_kit(champsim->file, "rubato_crc2.h", source, wrapper);
    else if (wrapper && api == CHAMPSIM_CBP5)
        is_written = write_kit(champsim->file, "rubato_cbp5.h", source, wrapper);
    else if (wrapper && api == CHAMPSIM_CBP2025)
        is_written = write_kit(NULL, "rubato_cbp2025.h", source, wrapper);
    else if (wrapper)
        write_members(champsim, source, api == CHAMPSIM_G3 ? "rubato_champsim.h" : "rubato_champsim_hooks.h", wrapper);
    return wrapper && fclose(wrapper) == 0 && is_written;
}
