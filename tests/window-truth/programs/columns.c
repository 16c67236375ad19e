/* Parses lines of comma-separated numbers and adds each column. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    static char text[60000];
    int n = 0;
    double sum[5] = {0};
    for (int line = 0; line < 700; line++)
        for (int c = 0; c < 5; c++)
            n += sprintf(text + n, c & 1 ? "%u%c" : "%u.25%c", numbers_next() % (c == 2 ? 10 : 3000),
                         c == 4 ? '\n' : ',');
    for (char *at = text; *at;)
        for (int c = 0; c < 5; c++) {
            long whole = 0, part = 0, scale = 1;
            while (*at >= '0' && *at <= '9')
                whole = whole * 10 + (*at++ - '0');
            if (*at == '.')
                for (at++; *at >= '0' && *at <= '9'; scale *= 10)
                    part = part * 10 + (*at++ - '0');
            sum[c] += (double)whole + (double)part / (double)scale;
            at++;
        }
    printf("%.2f %.2f %.2f\n", sum[0], sum[1], sum[4]);
    return 0;
}
