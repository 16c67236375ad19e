/* Finds words in a text of four letters by Knuth, Morris and Pratt's method. */
#include "numbers.h"
#include <stdio.h>
static char text[24000], word[12];
static int border[13];
int main(void)
{
    int hits = 0;
    for (int i = 0; i < 24000; i++)
        text[i] = (char)('a' + (numbers_next() >> 13 & 3));
    for (int turn = 0; turn < 4; turn++) {
        int k = 0, length = 4 + turn;
        for (int i = 0; i < length; i++)
            word[i] = text[1000 * turn + 7 + i];
        for (int i = 1; i < length; i++) {
            while (k > 0 && word[k] != word[i])
                k = border[k];
            k += word[k] == word[i];
            border[i + 1] = k;
        }
        k = 0;
        for (int i = 0; i < 24000; i++) {
            while (k > 0 && (k == length || word[k] != text[i]))
                k = border[k];
            k += word[k] == text[i];
            hits += k == length;
        }
    }
    printf("%d\n", hits);
    return 0;
}
