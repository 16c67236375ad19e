#include "base/text.h"

#include <stdlib.h>

#include "base/list.h"

bool text_grow(struct text *text, size_t count)
{
    size_t const room = 2 * text->room + count + 4096;

    if (!list_resize(&text->at, room, 1)) {
        text->failed = true;
        return false;
    }
    text->room = room;
    return true;
}

/* glibc's fclose says that all is well when its last realloc has failed. */
bool text_stream_close(FILE *stream, char **text)
{
    bool const good = !ferror(stream);

    if (fclose(stream) == 0 && good && *text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

void text_put_number(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    text_put_bytes(text, digits + at, sizeof digits - at);
}

void text_member_name(char *text, size_t size, const char *name, unsigned number, unsigned count)
{
    unsigned digits = 1;

    if (count < 2) {
        snprintf(text, size, "%s", name);
        return;
    }
    for (unsigned power = 10; power < count; power *= 10)
        digits++;
    snprintf(text, size, "%s%0*u", name, (int)digits, number);
}
