/* Prints a table of numbers with the C library's formatter, and reads it again. */
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { LINES = 900 };
static char text[LINES * 64];
int main(void)
{
    size_t length = 0;
    long whole = 0;
    double parts = 0;
    for (int i = 0; i < LINES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%06d\t%s\t%x\t%.3f\n", i,
                                   i % 3 ? "open" : "closed", numbers_next(),
                                   (double)(int32_t)numbers_next() / 4096.0);
    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        char *field = line;
        whole += strtol(field, &field, 10);
        field = strchr(field + 1, '\t');
        whole += (long)strtoul(field, &field, 16);
        parts += strtod(field, &field);
    }
    printf("%zu %ld %.3f\n", length, whole, parts);
    return 0;
}
