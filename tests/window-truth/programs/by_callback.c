/* Sorts records with the C library's qsort by three orders, each a function of its own. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { RECORDS = 2500 };
struct record { uint32_t year; float weight; char name[8]; };
static struct record records[RECORDS];
static int by_year(const void *one, const void *other)
{
    const struct record *a = one, *b = other;
    return a->year < b->year ? -1 : a->year > b->year;
}
static int by_weight(const void *one, const void *other)
{
    const struct record *a = one, *b = other;
    return a->weight < b->weight ? -1 : a->weight > b->weight;
}
static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct record *)one)->name, ((const struct record *)other)->name);
}
int main(void)
{
    int (*const orders[])(const void *, const void *) = {by_year, by_weight, by_name};
    uint64_t sum = 0;
    for (int i = 0; i < RECORDS; i++) {
        records[i].year = 1900 + numbers_next() % 120;
        records[i].weight = (float)(numbers_next() % 10000) / 16.0f;
        for (int j = 0; j < 7; j++)
            records[i].name[j] = (char)('a' + numbers_next() % 26);
    }
    for (unsigned order = 0; order < 3; order++) {
        qsort(records, RECORDS, sizeof records[0], orders[order]);
        for (int i = 0; i < RECORDS; i += 97)
            sum = sum * 33 + records[i].year + (uint8_t)records[i].name[0];
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
