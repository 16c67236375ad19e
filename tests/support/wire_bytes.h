/* Bytes of protobuf messages, put together by hand: independent of the writers under test. */
#ifndef TESTS_WIRE_BYTES_H
#define TESTS_WIRE_BYTES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    uint8_t at[65536];
    size_t length;
};

static inline void put_bytes(struct bytes *to, const void *bytes, size_t count)
{
    assert(to->length + count <= sizeof to->at);
    memcpy(to->at + to->length, bytes, count);
    to->length += count;
}

static inline void put_varint(struct bytes *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_bytes(to, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
    put_bytes(to, &(uint8_t){(uint8_t)value}, 1);
}

static inline void put_tag(struct bytes *to, uint32_t number, unsigned type)
{
    put_varint(to, (uint64_t)number << 3 | type);
}

static inline void put_number(struct bytes *to, uint32_t number, uint64_t value)
{
    put_tag(to, number, 0);
    put_varint(to, value);
}

static inline void put_text(struct bytes *to, uint32_t number, const char *text)
{
    put_tag(to, number, 2);
    put_varint(to, strlen(text));
    put_bytes(to, text, strlen(text));
}

static inline void put_message(struct bytes *to, const struct bytes *message)
{
    put_varint(to, message->length);
    put_bytes(to, message->at, message->length);
}

/* Magic and the header; window 0: of a packet trace. */
static inline void put_start(struct bytes *to, uint32_t window)
{
    struct bytes header = {.length = 0};

    put_bytes(to, "gem5", 4);
    put_text(&header, 1, "system.cpu");
    put_number(&header, 3, UINT64_C(1000000000000));
    if (window != 0)
        put_number(&header, 4, window);
    put_message(to, &header);
}

#endif
