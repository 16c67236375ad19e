/* Inserts keys into a red-black tree and looks them up. */
#include "numbers.h"
#include <stdbool.h>
#include <stdio.h>
enum { KEYS = 6000, LOOKUPS = 14000 };
static struct node { struct node *child[2], *parent; uint32_t key; bool is_red; } nodes[KEYS + 1], *root;
static void rotate(struct node *node, int side)
{
    struct node *up = node->child[!side], *inner = up->child[side];
    node->child[!side] = inner;
    if (inner)
        inner->parent = node;
    up->parent = node->parent;
    if (!node->parent)
        root = up;
    else
        node->parent->child[node->parent->child[1] == node] = up;
    up->child[side] = node;
    node->parent = up;
}
static void insert(struct node *node)
{
    struct node *parent = NULL, **place = &root;
    while (*place) {
        parent = *place;
        place = &parent->child[node->key > parent->key];
    }
    *place = node;
    node->parent = parent;
    node->is_red = true;
    while (node != root && node->parent->is_red) {
        struct node *above = node->parent->parent;
        int side = above->child[1] == node->parent;
        struct node *uncle = above->child[!side];
        if (uncle && uncle->is_red) {
            node->parent->is_red = uncle->is_red = false;
            above->is_red = true;
            node = above;
        } else {
            if (node == node->parent->child[!side]) {
                node = node->parent;
                rotate(node, side);
            }
            node->parent->is_red = false;
            above->is_red = true;
            rotate(above, !side);
        }
    }
    root->is_red = false;
}
int main(void)
{
    uint64_t steps = 0;
    for (int i = 0; i < KEYS; i++) {
        nodes[i].key = numbers_next();
        insert(&nodes[i]);
    }
    for (int i = 0; i < LOOKUPS; i++) {
        uint32_t key = i & 1 ? numbers_next() : nodes[numbers_next() % KEYS].key;
        for (struct node *node = root; node && node->key != key; steps++)
            node = node->child[key > node->key];
    }
    printf("%llu\n", (unsigned long long)steps);
    return 0;
}
