#include "sweep/results/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash64.h"

void results_hash_text(uint64_t hash, char text[RESULTS_HASH_TEXT])
{
    snprintf(text, RESULTS_HASH_TEXT, "%016" PRIx64, hash);
}

void whole_checksum(const char *const texts[WHOLE_TEXTS], char checksum[RESULTS_HASH_TEXT])
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    for (int i = 0; i < WHOLE_TEXTS; i++)
        hash64_add(&pieces, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 1);
    results_hash_text(hash64_end(&pieces), checksum);
}

static void is_whole(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *texts[WHOLE_TEXTS + 1];
    char checksum[RESULTS_HASH_TEXT];

    for (int i = 0; i < count; i++) {
        texts[i] = (const char *)sqlite3_value_text(values[i]);
        if (!texts[i] && sqlite3_value_type(values[i]) != SQLITE_NULL) {
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    whole_checksum(texts, checksum);
    sqlite3_result_int(context, texts[WHOLE_TEXTS] && strcmp(texts[WHOLE_TEXTS], checksum) == 0);
}

int whole_add_function(sqlite3 *database)
{
    return sqlite3_create_function(database, "whole", WHOLE_TEXTS + 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   is_whole, NULL, NULL);
}
