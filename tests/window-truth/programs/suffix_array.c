/* Sorts the suffixes of a text by doubled prefixes with qsort, and searches words in the order found. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { LENGTH = 1100, SEARCHES = 500 };
static char text[LENGTH + 1];
static int order[LENGTH], rank[LENGTH], next_rank[LENGTH], step;
static int second(int at)
{
    return at + step < LENGTH ? rank[at + step] : -1;
}
static int by_rank(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return rank[a] != rank[b] ? rank[a] - rank[b] : second(a) - second(b);
}
int main(void)
{
    for (int i = 0; i < LENGTH; i++) {
        text[i] = (char)('a' + (numbers_next() >> 28) % 7);
        rank[i] = text[i];
        order[i] = i;
    }
    for (step = 1;; step *= 2) {
        qsort(order, LENGTH, sizeof *order, by_rank);
        for (int i = 1; i < LENGTH; i++)
            next_rank[order[i]] = next_rank[order[i - 1]] + (by_rank(&order[i - 1], &order[i]) < 0);
        memcpy(rank, next_rank, sizeof rank);
        if (rank[order[LENGTH - 1]] == LENGTH - 1)
            break;
    }
    long found = 0;
    for (int turn = 0; turn < SEARCHES; turn++) {
        char word[6] = "";
        size_t length = 2 + numbers_next() % 4;
        for (size_t i = 0; i < length; i++)
            word[i] = (char)('a' + (numbers_next() >> 28) % 7);
        int low = 0, high = LENGTH;
        while (low < high) {
            int middle = (low + high) / 2;
            if (strncmp(text + order[middle], word, length) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < LENGTH && !strncmp(text + order[low], word, length); low++)
            found += order[low];
    }
    int wrong = 0;
    for (int i = 1; i < LENGTH; i++)
        wrong += strcmp(text + order[i - 1], text + order[i]) >= 0;
    printf("%ld %s\n", found, wrong ? "wrong" : "sorted");
    return 0;
}
