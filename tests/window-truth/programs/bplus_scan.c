/* A small B+ tree: inserts keys with splits of nodes, then scans ranges along the leaves. */
#include "numbers.h"
#include <stdio.h>
#include <string.h>
enum { FANOUT = 16, NODES = 2000, KEYS = 5000, SCANS = 700 };
static struct node {
    struct node *below[FANOUT + 1], *next;
    uint32_t keys[FANOUT], values[FANOUT];
    int count, leaf;
} nodes[NODES];
static struct node *root = nodes;
static int used = 1;
static int place_of(const struct node *node, uint32_t key)
{
    int at = 0;
    while (at < node->count && node->keys[at] <= key)
        at++;
    return at;
}
/* Puts a key below node; where that splits, gives the new node to its right and the first key of that. */
static struct node *insert(struct node *node, uint32_t key, uint32_t value, uint32_t *first)
{
    int at = place_of(node, key);
    struct node *added = NULL;
    if (!node->leaf) {
        added = insert(node->below[at], key, value, &key);
        if (!added)
            return NULL;
        memmove(&node->below[at + 2], &node->below[at + 1], sizeof *node->below * (size_t)(node->count - at));
        node->below[at + 1] = added;
    } else {
        memmove(&node->values[at + 1], &node->values[at], sizeof *node->values * (size_t)(node->count - at));
        node->values[at] = value;
    }
    memmove(&node->keys[at + 1], &node->keys[at], sizeof *node->keys * (size_t)(node->count - at));
    node->keys[at] = key;
    if (++node->count < FANOUT)
        return NULL;
    struct node *right = &nodes[used++];
    int half = FANOUT / 2, from = node->leaf ? half : half + 1;
    right->leaf = node->leaf;
    right->count = FANOUT - from;
    memcpy(right->keys, &node->keys[from], sizeof *node->keys * (size_t)right->count);
    memcpy(right->values, &node->values[from], sizeof *node->values * (size_t)right->count);
    memcpy(right->below, &node->below[from], sizeof *node->below * (size_t)(right->count + 1));
    right->next = node->next;
    node->next = right;
    node->count = half;
    *first = node->keys[half];
    return right;
}
int main(void)
{
    uint64_t sum = 0, keys = 0;
    uint32_t first = 0;
    nodes[0].leaf = 1;
    for (uint32_t i = 0; i < KEYS; i++) {
        struct node *added = insert(root, numbers_next() >> 8, i, &first);
        if (added) {
            struct node *above = &nodes[used++];
            *above = (struct node){.keys = {first}, .below = {root, added}, .count = 1};
            root = above;
        }
    }
    for (int scan = 0; scan < SCANS; scan++) {
        uint32_t low = numbers_next() >> 8, high = low + 100000;
        struct node *leaf = root;
        while (!leaf->leaf)
            leaf = leaf->below[place_of(leaf, low)];
        for (int at = place_of(leaf, low), more = 1; leaf && more; leaf = leaf->next, at = 0)
            for (; at < leaf->count && (more = leaf->keys[at] < high); at++)
                sum += leaf->values[at];
    }
    for (struct node *leaf = nodes; leaf; leaf = leaf->next)
        keys += (uint64_t)leaf->count;
    printf("%llu %s\n", (unsigned long long)sum, keys == KEYS ? "whole" : "wrong");
    return 0;
}
