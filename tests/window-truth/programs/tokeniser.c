/* Splits text like JSON into words, numbers and strings. */
#include <stdio.h>
#include <string.h>
static char text[40000];
int main(void)
{
    const char *parts[] = {"{\"a\": 12, ",
                           "\"name\": \"x\\n y\", ",
                           "[1, -2.5e3, true], ",
                           "null, false }",
                           "  \n",
                           "\"long string without escapes\": 0, "};
    size_t len = 0;
    unsigned x = 3, words = 0, numbers = 0, strings = 0, depth = 0;
    while (len < 30000) {
        const char *p = parts[(x = x * 69069 + 1) >> 16 & 3 ? (x >> 20) % 6 : 1];
        size_t l = strlen(p);
        memcpy(text + len, p, l);
        len += l;
    }
    for (size_t i = 0; i < len;) {
        char c = text[i];
        switch (c) {
        case ' ':
        case '\n':
        case ',':
        case ':':
            i++;
            break;
        case '{':
        case '[':
            depth++;
            i++;
            break;
        case '}':
        case ']':
            depth--;
            i++;
            break;
        case '"':
            i++;
            while (i < len && text[i] != '"')
                i += text[i] == '\\' ? 2 : 1;
            i++;
            strings++;
            break;
        default:
            if ((c >= '0' && c <= '9') || c == '-') {
                while (i < len &&
                       (text[i] == '-' || text[i] == '.' || text[i] == 'e' || (text[i] >= '0' && text[i] <= '9')))
                    i++;
                numbers++;
            } else {
                while (i < len && text[i] >= 'a' && text[i] <= 'z')
                    i++;
                words++;
                if (i < len && text[i] < 'a') {
                }
            }
        }
    }
    printf("%u %u %u %u\n", words, numbers, strings, depth);
    return 0;
}
