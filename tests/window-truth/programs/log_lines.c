/* Writes lines to a file one system call each. */
#include "numbers.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { LINES = 3500 };
int main(void)
{
    char line[64];
    int file = open("/dev/null", O_WRONLY);
    uint64_t written = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        uint32_t n = numbers_next(), length = 0;
        memcpy(line, "event ", 6);
        length = 6;
        for (uint32_t rest = n % 100000; rest; rest /= 10)
            line[length++] = (char)('0' + rest % 10);
        memset(line + length, n & 1 ? '.' : '-', n >> 27);
        length += n >> 27;
        line[length++] = '\n';
        if (write(file, line, length) == (ssize_t)length)
            written += length;
    }
    printf("%llu\n", (unsigned long long)written);
    return 0;
}
