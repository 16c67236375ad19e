/* Counts the words of a text in a table that grows, its strings from malloc, and sorts them by count with qsort. */
#include "numbers.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { LENGTH = 12000 };
static struct word { char *text; uint32_t hash, count; } *table;
static size_t size = 64, words;
static struct word *slot_of(struct word *in, size_t slots, uint32_t hash, const char *text)
{
    size_t at = hash & (slots - 1);
    while (in[at].text && (in[at].hash != hash || strcmp(in[at].text, text)))
        at = (at + 1) & (slots - 1);
    return &in[at];
}
static void grow(void)
{
    struct word *larger = calloc(2 * size, sizeof *larger);
    for (size_t i = 0; i < size; i++)
        if (table[i].text)
            *slot_of(larger, 2 * size, table[i].hash, table[i].text) = table[i];
    free(table);
    table = larger;
    size *= 2;
}
static int by_count(const void *left, const void *right)
{
    const struct word *a = left, *b = right;
    if (!a->text || !b->text)
        return !a->text - !b->text;
    return a->count != b->count ? (a->count < b->count) - (a->count > b->count) : strcmp(a->text, b->text);
}
int main(void)
{
    static char text[LENGTH + 1];
    uint64_t counted = 0, all = 0;
    for (int i = 0; i < LENGTH; i++) {
        uint32_t n = numbers_next();
        text[i] = n % 4 == 0 ? " .,\n"[n >> 8 & 3] : (char)((n & 64 ? 'A' : 'a') + (n >> 10 & n >> 16 & 15));
    }
    table = calloc(size, sizeof *table);
    for (char *next = text; *next;) {
        char word[64];
        size_t length = 0;
        uint32_t hash = 5381;
        for (; isalpha((unsigned char)*next) && length < sizeof word - 1; next++) {
            word[length] = (char)tolower((unsigned char)*next);
            hash = hash * 33 + (uint8_t)word[length++];
        }
        word[length] = '\0';
        next += length == 0;
        if (length == 0)
            continue;
        struct word *slot = slot_of(table, size, hash, word);
        if (!slot->text) {
            *slot = (struct word){strdup(word), hash, 0};
            words++;
        }
        slot->count++;
        all++;
        if (2 * words > size)
            grow();
    }
    qsort(table, size, sizeof *table, by_count);
    for (size_t i = 0; i < words; i++)
        counted += table[i].count;
    printf("%zu %s %u %s\n", words, table[0].text, table[0].count, counted == all ? "whole" : "wrong");
    return 0;
}
