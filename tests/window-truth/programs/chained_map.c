/* Counts random keys in a hash table of linked lists. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
    uint32_t key, count;
    struct node *next;
};
static struct node *table[4096];
int main(void)
{
    uint32_t x = 9, sum = 0;
    for (int i = 0; i < 15000; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        uint32_t key = x % 5000;
        struct node **at = &table[key * 2654435761u >> 20];
        while (*at && (*at)->key != key)
            at = &(*at)->next;
        if (!*at) {
            *at = malloc(sizeof **at);
            **at = (struct node){key, 0, NULL};
        }
        sum += ++(*at)->count;
    }
    printf("%u\n", sum);
    return 0;
}
