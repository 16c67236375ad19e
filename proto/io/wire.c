/* Any field of any message: the slow way that is always right. Groups (wire types 3 and 4) are refused; these formats
 * never had one. */
#include "proto/io/wire.h"

static const uint8_t *bounded_varint(const uint8_t *at, const uint8_t *end, uint64_t *value, const char **problem)
{
    const uint8_t *const behind = wire_varint(at, value);

    if (behind == NULL)
        *problem = "a number of more than 10 bytes";
    else if (behind > end)
        *problem = "a number that runs past the end of its message";
    return behind != NULL && behind <= end ? behind : NULL;
}

static const uint8_t *skip(const uint8_t *at, const uint8_t *end, uint64_t count, const char **problem)
{
    if ((uint64_t)(end - at) >= count)
        return at + count;
    *problem = "a field that runs past the end of its message";
    return NULL;
}

const uint8_t *wire_field(const uint8_t *at, const uint8_t *end, struct wire_field *field, const char **problem)
{
    uint64_t tag;

    at = wire_tag(at, &tag);
    if (at == NULL || at > end) {
        *problem = "a field number that does not end where it should";
        return NULL;
    }
    return wire_value(at, end, tag, field, problem);
}

const uint8_t *wire_value(const uint8_t *at, const uint8_t *end, uint64_t tag, struct wire_field *field,
                          const char **problem)
{
    uint64_t length;

    if (tag > UINT32_MAX || tag >> 3 == 0) {
        *problem = "a field number outside 1 to 2^29-1";
        return NULL;
    }
    *field = (struct wire_field){.number = (uint32_t)(tag >> 3), .type = tag & 7};
    switch (field->type) {
    case WIRE_VARINT: return bounded_varint(at, end, &field->value, problem);
    case WIRE_8_BYTES: return skip(at, end, 8, problem);
    case WIRE_4_BYTES: return skip(at, end, 4, problem);
    case WIRE_LENGTH:
        at = bounded_varint(at, end, &length, problem);
        if (at == NULL)
            return NULL;
        field->bytes = at;
        field->length = (size_t)length;
        return skip(at, end, length, problem);
    default: *problem = "a field of an unknown wire type"; return NULL;
    }
}
