#include "cli/common/output_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "cli/common/cli.h"

enum { LONGEST_ENDING = 8 };

/* Endings that denote a specific format. */
static const char known[] = "png jpg jpeg gif bmp webp svg svgz pdf ps eps html htm txt md rst json jsonl ndjson csv "
                            "tsv xlsx parquet arrow feather db sqlite sqlite3 yaml yml toml xml gz xz zst bz2 lz4 zip "
                            "tar proto rbt perfetto pftrace py sh c h";

const char *output_ending(const char *path)
{
    const char *const name = path_name(path), *const dot = strrchr(name, '.');

    if (!dot || dot == name || !isalpha((unsigned char)dot[1]) || strlen(dot + 1) > LONGEST_ENDING)
        return NULL;
    for (const char *c = dot + 1; *c; c++)
        if (!isalnum((unsigned char)*c))
            return NULL;
    return dot + 1;
}

bool output_ends_in(const char *path, const char *ending)
{
    const char *const has = output_ending(path);

    return has && strcasecmp(has, ending) == 0;
}

/* Is the word in a list with spaces between? */
static bool output_name_is_among(const char *list, const char *word)
{
    size_t const length = strlen(word);

    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

static bool is_compressed(const char *ending)
{
    return output_name_is_among("gz xz zst bz2 lz4 zip svgz", ending);
}

static bool output_name_refuse(const char *path, const char *what, const char *endings)
{
    const char *const ending = output_ending(path);
    int const stem = (int)(ending - 1 - path);

    if (cli_output_replaces_input(path))             /* which is worse, and said */
        return false;
    if (is_compressed(ending))
        cli_fail_text("%s: ends in .%s, but the output is %s, not compressed; leave .%s out", path, ending, what,
                      ending);
    else if (strchr(endings, ' '))
        cli_fail_text("%s: ends in .%s, but the output is %s; give a name that ends in one of: %s", path, ending,
                      what, endings);
    else if (*endings)
        cli_fail_text("%s: ends in .%s, but the output is %s; name it %.*s.%s", path, ending, what, stem, path,
                      endings);
    else
        cli_fail_text("%s: ends in .%s, but the output is %s; leave .%s out", path, ending, what, ending);
    return false;
}

bool cli_output_fits(const char *path, const char *what, const char *endings)
{
    const char *const ending = output_ending(path);

    return !ending || output_name_is_among(endings, ending) || !output_name_is_among(known, ending)
        || output_name_refuse(path, what, endings);
}

bool cli_output_fits_only(const char *path, const char *what, const char *endings)
{
    const char *const ending = output_ending(path);

    return !ending || output_name_is_among(endings, ending) || output_name_refuse(path, what, endings);
}

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
