/* Joins two tables by keys that are strings: builds chains by a hash of the text, probes them with strcmp. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
enum { BUILT = 1500, PROBES = 4000, BUCKETS = 1024 };
static struct row { struct row *next; char key[24]; uint32_t amount; } rows[BUILT], *buckets[BUCKETS];
static const char *syllable[16] = {"ka", "lo",  "mir", "te", "sun", "ro", "vel", "no",
                                   "di", "sha", "pe",  "lu", "gor", "an", "i",   "tho"};
static uint32_t hash(const char *key)
{
    uint32_t h = 2166136261u;
    while (*key)
        h = (h ^ (uint8_t)*key++) * 16777619u;
    return (h ^ h >> 15) % BUCKETS;
}
static void make_key(char *key, uint32_t n)
{
    *key = '\0';
    for (int i = 0; i < 3 + (int)(n & 1); i++)
        key = strcpy(key, syllable[n >> (4 * i + 1) & 15]) + strlen(syllable[n >> (4 * i + 1) & 15]);
}
int main(void)
{
    uint64_t total = 0, matches = 0;
    for (int i = 0; i < BUILT; i++) {
        make_key(rows[i].key, numbers_next() >> 19);
        rows[i].amount = numbers_next() & 1023;
        struct row **bucket = &buckets[hash(rows[i].key)];
        rows[i].next = *bucket;
        *bucket = &rows[i];
    }
    for (int i = 0; i < PROBES; i++) {
        char key[24];
        make_key(key, numbers_next() >> 19);
        for (struct row *row = buckets[hash(key)]; row; row = row->next)
            if (!strcmp(row->key, key)) {
                matches++;
                total += row->amount * (uint64_t)(i & 7);
            }
    }
    printf("%llu %llu\n", (unsigned long long)matches, (unsigned long long)total);
    return 0;
}
