/* Matches names of files against patterns with stars, question marks and sets, by recursion. */
#include "numbers.h"
#include <stdbool.h>
#include <stdio.h>
enum { NAMES = 700 };
static const char *patterns[] = {"*.c", "src/*/test_?.h", "[a-m]*[0-9].o", "*a*b*c*", "lib*.so.?",
                                 "*/[!s]*", "??c/*.[ch]"};
static bool matches(const char *pattern, const char *name)
{
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            do
                if (matches(pattern + 1, name))
                    return true;
            while (*name++);
            return false;
        }
        if (!*name)
            return false;
        if (*pattern == '[') {
            bool negated = *++pattern == '!', within = false;
            for (pattern += negated; *pattern != ']'; pattern++)
                if (pattern[1] == '-') {
                    within |= *name >= pattern[0] && *name <= pattern[2];
                    pattern += 2;
                } else {
                    within |= *name == *pattern;
                }
            if (within == negated)
                return false;
        } else if (*pattern != '?' && *pattern != *name) {
            return false;
        }
    }
    return !*name;
}
int main(void)
{
    static const char *parts[] = {"src/", "lib", "test_", "abc", "main", "bar/", "cab", "s"};
    static const char *ends[] = {".c", ".h", ".o", ".so.2", "7.o", "", "/x.c", "b1"};
    long sum = 0;
    for (int i = 0; i < NAMES; i++) {
        char name[40];
        uint32_t n = numbers_next();
        snprintf(name, sizeof name, "%s%s%s%s", parts[n & 7], parts[n >> 3 & 7], parts[n >> 6 & 7], ends[n >> 9 & 7]);
        for (int p = 0; p < (int)(sizeof patterns / sizeof *patterns); p++)
            sum += matches(patterns[p], name) ? p + 1 : 0;
    }
    printf("%ld %s\n", sum, matches("a[b-d]*?z", "acz") || !matches("a[b-d]*?z", "acyz") ? "wrong" : "matched");
    return 0;
}
