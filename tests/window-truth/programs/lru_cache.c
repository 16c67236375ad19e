/* A cache of pages that evicts the least recently used: a hash table of chains, and a list in the order of use. */
#include "numbers.h"
#include <stdio.h>
enum { PAGES = 1024, BUCKETS = 2048, REFERENCES = 30000 };
static struct page { struct page *newer, *older, *chained; uint32_t number, uses; } pages[PAGES], ends;
static struct page *buckets[BUCKETS];
static int used;
static struct page **bucket_of(uint32_t number)
{
    return &buckets[number * 2654435769u >> 21];
}
static void leave(struct page *page)
{
    page->newer->older = page->older;
    page->older->newer = page->newer;
}
static void make_newest(struct page *page)
{
    page->older = ends.older;
    page->newer = &ends;
    ends.older->newer = page;
    ends.older = page;
}
static int reference(uint32_t number)
{
    struct page *page = *bucket_of(number);
    while (page && page->number != number)
        page = page->chained;
    int hit = page != NULL;
    if (hit) {
        leave(page);
    } else {
        if (used < PAGES) {
            page = &pages[used++];
        } else {
            page = ends.newer;
            leave(page);
            struct page **place = bucket_of(page->number);
            while (*place != page)
                place = &(*place)->chained;
            *place = page->chained;
        }
        struct page **bucket = bucket_of(number);
        *page = (struct page){.number = number, .chained = *bucket};
        *bucket = page;
    }
    page->uses++;
    make_newest(page);
    return hit;
}
int main(void)
{
    long hits = 0, in_order = 0;
    ends.newer = ends.older = &ends;
    for (uint32_t i = 0; i < REFERENCES; i++) {
        uint32_t n = numbers_next();
        /* Half of them go to 512 hot pages, a quarter scans, a quarter goes anywhere. */
        hits += reference(n & 1 ? n >> 23 : n & 2 ? 100000 + i / 3 : 10000 + (n >> 19));
    }
    for (struct page *page = ends.newer; page != &ends; page = page->newer)
        in_order++;
    printf("%ld %s\n", hits, in_order == PAGES ? "whole" : "wrong");
    return 0;
}
