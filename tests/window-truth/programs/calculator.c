/* Evaluates arithmetic expressions by recursive descent. */
#include "numbers.h"
#include <stdio.h>
static char text[400];
static const char *at;
static long sum(void);
static long factor(void)
{
    long v = 0;
    if (*at == '(') {
        at++;
        v = sum();
        at++;
        return v;
    }
    if (*at == '-') {
        at++;
        return -factor();
    }
    while (*at >= '0' && *at <= '9')
        v = v * 10 + (*at++ - '0');
    return v;
}
static long product(void)
{
    long v = factor();
    for (;;) {
        if (*at == '*') {
            at++;
            v = v * factor() % 100003;
        } else if (*at == '%') {
            at++;
            long d = factor();
            v = d ? v % d : v;
        } else
            return v;
    }
}
static long sum(void)
{
    long v = product();
    for (;;) {
        if (*at == '+') {
            at++;
            v += product();
        } else if (*at == '-') {
            at++;
            v -= product();
        } else
            return v;
    }
}
static int make(int i, int depth)
{
    uint32_t r = numbers_next();
    if (depth == 0 || i > 300) {
        if (r & 64)
            text[i++] = (char)('1' + r % 9);
        text[i++] = (char)('0' + (r >> 8) % 10);
        return i;
    }
    if (r % 5 == 0) {
        text[i++] = '(';
        i = make(i, depth - 1);
        text[i++] = ')';
        return i;
    }
    i = make(i, depth - 1);
    text[i++] = "+-*%"[r >> 10 & 3];
    return make(i, depth - 1);
}
int main(void)
{
    long total = 0;
    for (int round = 0; round < 90; round++) {
        text[make(0, 5)] = 0;
        for (int again = 0; again < 4; again++) {
            at = text;
            total += sum();
        }
    }
    printf("%ld\n", total);
    return 0;
}
