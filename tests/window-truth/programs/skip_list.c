/* A skip list: inserts, then searches. */
#include "numbers.h"
#include <stdio.h>
#define LEVELS 10
struct node {
    uint32_t key;
    struct node *next[LEVELS];
};
static struct node pool[1500], head;
int main(void)
{
    int used = 0, found = 0;
    for (int turn = 0; turn < 3500; turn++) {
        struct node *before[LEVELS], *n = &head;
        uint32_t key = numbers_next() % 5000;
        for (int l = LEVELS - 1; l >= 0; l--) {
            while (n->next[l] && n->next[l]->key < key)
                n = n->next[l];
            before[l] = n;
        }
        n = n->next[0];
        if (n && n->key == key) {
            found++;
            continue;
        }
        if (turn >= 1500)
            continue;
        struct node *new = &pool[used++];
        uint32_t coins = numbers_next();
        new->key = key;
        for (int l = 0; l < LEVELS && (l == 0 || (coins >> l & 1)); l++) {
            new->next[l] = before[l]->next[l];
            before[l]->next[l] = new;
        }
    }
    printf("%d %d\n", used, found);
    return 0;
}
