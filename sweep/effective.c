#include "sweep/effective.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/hash64.h"

/* No value holds a #, so a comment begins at the first one of a line. */
static void strip_comments(char *text)
{
    char *to = text;

    for (const char *line = text; *line;) {
        size_t const length = strcspn(line, "\n");
        size_t kept = 0;

        while (kept < length && line[kept] != '#')
            kept++;
        while (kept > 0 && line[kept - 1] == ' ')
            kept--;
        memmove(to, line, kept);
        to += kept;
        if (kept)
            *to++ = '\n';
        line += length + (line[length] == '\n');
    }
    *to = '\0';
}

struct fault effective_text(const struct system_config *config, char **text)
{
    FAULT_TRY(config_to_yaml(config, text));
    strip_comments(*text);
    return fault_none();
}

uint64_t effective_hash(const char *text, uint64_t traces_hash, const struct spec_limits *limits, const char *version)
{
    struct hash64_pieces pieces;
    char rest[256];

    snprintf(rest, sizeof rest, "\ntraces %016" PRIx64 " warmup %" PRIu64 " records %" PRIu64 " until %" PRIu64
             " tick_scale %.17g version %s", traces_hash, limits->warmup_records, limits->max_records, limits->until_ps,
             limits->tick_scale, version);
    hash64_begin(&pieces);
    hash64_add(&pieces, text, strlen(text));
    hash64_add(&pieces, rest, strlen(rest));
    return hash64_end(&pieces);
}
