/* Makes a text of nested lists and objects, and scans it: depth, numbers, strings with escapes. */
#include "numbers.h"
#include <stdio.h>
static char text[30000];
int main(void)
{
    int at = 0, depth = 0, deepest = 0, strings = 0;
    long sum = 0;
    while (at < 29900) {
        uint32_t word = numbers_next();
        switch (word & 7) {
        case 0: text[at++] = depth < 40 ? '[' : ','; depth += depth < 40; break;
        case 1: if (depth > 0) { text[at++] = ']'; depth--; } break;
        case 2: case 3:
            text[at++] = '"';
            for (uint32_t i = 0; i < (word >> 8 & 15); i++)
                text[at++] = (char)((word >> (i & 15) & 31) == 7 ? '\\' : 'a' + (word >> i & 15));
            text[at - 1] = text[at - 1] == '\\' ? 'x' : text[at - 1];
            text[at++] = '"';
            break;
        case 4: text[at++] = ' '; break;
        default:
            for (uint32_t i = 0; i <= (word >> 12 & 3); i++)
                text[at++] = (char)('0' + (word >> (4 * i)) % 10);
            text[at++] = ',';
        }
    }
    depth = 0;
    for (int i = 0; i < at; i++) {
        char c = text[i];
        if (c == '[') {
            deepest = ++depth > deepest ? depth : deepest;
        } else if (c == ']') {
            depth--;
        } else if (c == '"') {
            strings++;
            for (i++; i < at && text[i] != '"'; i++)
                if (text[i] == '\\')
                    i++;
        } else if (c >= '0' && c <= '9') {
            long number = 0;
            for (; text[i] >= '0' && text[i] <= '9'; i++)
                number = 10 * number + text[i] - '0';
            sum += number;
        }
    }
    printf("%d %d %ld\n", deepest, strings, sum);
    return 0;
}
