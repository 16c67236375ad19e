/* A text in a treap: pieces are split off and joined again elsewhere, by recursion; checked by its length. */
#include "numbers.h"
#include <stdio.h>
enum { LENGTH = 5000, EDITS = 500 };
static struct node { struct node *left, *right; uint32_t weight; int size; char letter; } nodes[LENGTH];
static int size_of(const struct node *node)
{
    return node ? node->size : 0;
}
static void measure(struct node *node)
{
    node->size = 1 + size_of(node->left) + size_of(node->right);
}
static struct node *join(struct node *left, struct node *right)
{
    if (!left || !right)
        return left ? left : right;
    if (left->weight > right->weight) {
        left->right = join(left->right, right);
        measure(left);
        return left;
    }
    right->left = join(left, right->left);
    measure(right);
    return right;
}
static void split(struct node *node, int at, struct node **left, struct node **right)
{
    if (!node) {
        *left = *right = NULL;
        return;
    }
    int before = size_of(node->left);
    if (before < at) {
        split(node->right, at - before - 1, &node->right, right);
        *left = node;
    } else {
        split(node->left, at, left, &node->left);
        *right = node;
    }
    measure(node);
}
static int in_order(const struct node *node, int place, uint64_t *sum)
{
    if (!node)
        return place;
    place = in_order(node->left, place, sum);
    *sum = *sum * 31 + (uint64_t)node->letter;
    return in_order(node->right, place + 1, sum);
}
int main(void)
{
    struct node *text = NULL, *before, *piece, *after;
    uint64_t sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        nodes[i] = (struct node){.weight = numbers_next(), .size = 1, .letter = (char)('a' + i % 26)};
        text = join(text, &nodes[i]);
    }
    for (int i = 0; i < EDITS; i++) {
        int from = (int)(numbers_next() % (LENGTH - 300)), length = 1 + (int)(numbers_next() % 300);
        split(text, from, &before, &piece);
        split(piece, length, &piece, &after);
        text = join(before, after);
        split(text, (int)(numbers_next() % (uint32_t)(LENGTH - length)), &before, &after);
        text = join(join(before, piece), after);
    }
    int length = in_order(text, 0, &sum);
    printf("%s %llu\n", length == LENGTH ? "whole" : "wrong", (unsigned long long)sum);
    return 0;
}
