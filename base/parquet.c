/* Written: one data page a column and row group, values PLAIN, gzip, every column optional. Not written: dictionaries,
 * statistics of pages, nested columns. Gzip because every reader has it, and Python's own library as well.
 *
 * A file is "PAR1", the pages, the file's metadata, the metadata's length in 4 bytes, "PAR1". A page is a header, then
 * (compressed) which rows have a value, as runs or as bits, then the values one behind the other. Headers and metadata
 * are structs in Thrift's compact protocol; the numbers of their fields below are those of parquet.thrift, of the
 * Parquet format 2.10. */
#include "base/parquet.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/bits.h"
#include "base/harmless.h"
#include "base/json.h"

enum { MAGIC_BYTES = 4, ROWS_OF_GROUP = 1 << 20, BYTES_OF_GROUP = 32 << 20 };
#define MAGIC "PAR1"

/* Numbers of parquet.thrift's enumerations. */
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT64 = 14, CONVERTED_INT64 = 18 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, CODEC_GZIP = 2, REPETITION_OPTIONAL = 1, PAGE_DATA = 0 };

struct parquet_column_state {
    struct text values, presence;        /* of the row group; presence: a bit a row, from the lowest on */
    uint64_t present;                    /* rows that have a value */
    bool is_put;                         /* in this row */
};

/* ---- Thrift's compact protocol */

enum thrift_type { THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_I8 = 3, THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8,
                   THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

/* A struct that is being written; those inside it have their own. */
struct thrift {
    struct text *to;
    unsigned last;                       /* number of the last field */
};

static void put_byte(struct text *to, unsigned byte)
{
    text_put_bytes(to, &(unsigned char){(unsigned char)byte}, 1);
}

static void put_varint(struct text *to, uint64_t number)
{
    uint8_t bytes[BITS_VARINT_MAX];

    text_put_bytes(to, bytes, (size_t)(bits_put_varint(bytes, number) - bytes));
}

/* Numbers of fields rise, by less than 16. */
static void put_field(struct thrift *in, unsigned number, enum thrift_type type)
{
    put_byte(in->to, (number - in->last) << 4 | type);
    in->last = number;
}

static void put_integer(struct thrift *in, unsigned field, enum thrift_type type, uint64_t value)
{
    put_field(in, field, type);
    put_varint(in->to, bits_zigzag(value));
}

/* Bytes that are no UTF-8 become the characters of their numbers, two bytes each. */
static void put_utf8(struct text *to, const char *string)
{
    uint32_t character;

    for (size_t left = strlen(string), bytes; left; string += bytes, left -= bytes) {
        bytes = harmless_character(string, left, &character);
        if (bytes) {
            text_put_bytes(to, string, bytes);
            continue;
        }
        put_byte(to, 0xc0 | (unsigned char)*string >> 6);
        put_byte(to, 0x80 | ((unsigned char)*string & 0x3f));
        bytes = 1;
    }
}

static size_t utf8_bytes(const char *string)
{
    size_t total = 0;
    uint32_t character;

    for (size_t left = strlen(string), bytes; left; string += bytes, left -= bytes) {
        bytes = harmless_character(string, left, &character);
        total += bytes ? bytes : 2;
        bytes += !bytes;
    }
    return total;
}

static void put_string(struct text *to, const char *string)
{
    put_varint(to, utf8_bytes(string));
    put_utf8(to, string);
}

static void put_string_field(struct thrift *in, unsigned field, const char *string)
{
    put_field(in, field, THRIFT_BINARY);
    put_string(in->to, string);
}

static void parquet_put_list(struct thrift *in, unsigned field, enum thrift_type of, uint64_t count)
{
    put_field(in, field, THRIFT_LIST);
    if (count < 15) {
        put_byte(in->to, (unsigned)count << 4 | of);
        return;
    }
    put_byte(in->to, 0xf0 | of);
    put_varint(in->to, count);
}

static struct thrift begin_struct(struct thrift *in, unsigned field)
{
    put_field(in, field, THRIFT_STRUCT);
    return (struct thrift){.to = in->to};
}

static void end_struct(struct thrift *in)
{
    put_byte(in->to, 0);
}

static void put_pair(struct text *to, const char *key, const char *value)
{
    struct thrift pair = {.to = to};

    put_string_field(&pair, 1, key);
    put_string_field(&pair, 2, value);
    end_struct(&pair);
}

/* ---- rows */

static void write_bytes(struct parquet *parquet, const void *bytes, size_t count)
{
    if (count)
        fwrite(bytes, 1, count, parquet->file);
    parquet->offset += count;
}

void parquet_begin(struct parquet *parquet, const struct parquet_column *columns, size_t column_count)
{
    parquet->columns = columns;
    parquet->column_count = column_count;
    parquet->states = calloc(column_count + 1, sizeof *parquet->states);
    parquet->failed = !parquet->states;
    write_bytes(parquet, MAGIC, MAGIC_BYTES);
}

/* Whether the column of this row has a value; asked once a row. */
static void note_presence(struct parquet *parquet, struct parquet_column_state *state, bool is_present)
{
    if (parquet->rows_of_group % 8 == 0)
        put_byte(&state->presence, 0);
    if (is_present && !state->presence.failed && state->presence.length) {
        unsigned char *const bits = (unsigned char *)&state->presence.at[state->presence.length - 1];

        *bits = (unsigned char)(*bits | 1u << parquet->rows_of_group % 8);
        state->present++;
    }
}

static struct text *begin_value(struct parquet *parquet, size_t column)
{
    struct parquet_column_state *const state = parquet->failed ? NULL : &parquet->states[column];

    if (!state)
        return NULL;
    note_presence(parquet, state, true);
    state->is_put = true;
    return &state->values;
}

void parquet_put_integer(struct parquet *parquet, size_t column, uint64_t value)
{
    struct text *const values = begin_value(parquet, column);
    unsigned char bytes[8];

    bits_store64(bytes, value);
    if (values)
        text_put_bytes(values, bytes, sizeof bytes);
}

void parquet_put_real(struct parquet *parquet, size_t column, double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof word);
    parquet_put_integer(parquet, column, word);
}

void parquet_put_string(struct parquet *parquet, size_t column, const char *string)
{
    struct text *const values = begin_value(parquet, column);
    unsigned char length[4];

    if (!values)
        return;
    bits_store32(length, (uint32_t)utf8_bytes(string));
    text_put_bytes(values, length, sizeof length);
    put_utf8(values, string);
}

/* ---- row groups */

/* Which rows have a value: one run, or bits in groups of eight. */
static void put_presence(struct text *page, const struct parquet_column_state *state, uint64_t rows)
{
    size_t const start = page->length;

    text_put_bytes(page, "\0\0\0\0", 4);
    if (state->present == rows || state->present == 0) {
        put_varint(page, rows << 1);
        put_byte(page, state->present == rows);
    } else {
        put_varint(page, (uint64_t)state->presence.length << 1 | 1);
        text_put_bytes(page, state->presence.at, state->presence.length);
    }
    if (!page->failed)
        bits_store32(&page->at[start], (uint32_t)(page->length - start - 4));
}

static bool parquet_pack(struct parquet *parquet)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };
    z_stream stream = {.next_in = (Bytef *)parquet->page.at, .avail_in = (uInt)parquet->page.length};
    bool done;

    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    parquet->packed.length = 0;
    done = parquet->packed.room >= deflateBound(&stream, stream.avail_in)
        || text_grow(&parquet->packed, deflateBound(&stream, stream.avail_in));
    if (done) {
        stream.next_out = (Bytef *)parquet->packed.at;
        stream.avail_out = (uInt)parquet->packed.room;
        done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        parquet->packed.length = stream.total_out;
    }
    deflateEnd(&stream);
    return done;
}

static void put_page_header(struct text *to, const struct parquet *parquet, size_t bytes, size_t packed_bytes)
{
    struct thrift header = {.to = to}, data;

    put_integer(&header, 1, THRIFT_I32, PAGE_DATA);
    put_integer(&header, 2, THRIFT_I32, bytes);
    put_integer(&header, 3, THRIFT_I32, packed_bytes);
    data = begin_struct(&header, 5);
    put_integer(&data, 1, THRIFT_I32, parquet->rows_of_group);
    put_integer(&data, 2, THRIFT_I32, ENCODING_PLAIN);
    put_integer(&data, 3, THRIFT_I32, ENCODING_RLE);
    put_integer(&data, 4, THRIFT_I32, ENCODING_RLE);
    end_struct(&data);
    end_struct(&header);
}

static unsigned parquet_type_of(enum parquet_type type)
{
    return type == PARQUET_STRING ? TYPE_BYTE_ARRAY : type == PARQUET_DOUBLE ? TYPE_DOUBLE : TYPE_INT64;
}

/* The metadata of a column of a row group. */
static void put_chunk(struct text *to, const struct parquet *parquet, const struct parquet_column *column,
                      uint64_t bytes, uint64_t start)
{
    struct thrift chunk = {.to = to}, data;

    put_integer(&chunk, 2, THRIFT_I64, start);
    data = begin_struct(&chunk, 3);
    put_integer(&data, 1, THRIFT_I32, parquet_type_of(column->type));
    parquet_put_list(&data, 2, THRIFT_I32, 2);
    put_varint(to, bits_zigzag(ENCODING_PLAIN));
    put_varint(to, bits_zigzag(ENCODING_RLE));
    parquet_put_list(&data, 3, THRIFT_BINARY, 1);
    put_string(to, column->name);
    put_integer(&data, 4, THRIFT_I32, CODEC_GZIP);
    put_integer(&data, 5, THRIFT_I64, parquet->rows_of_group);
    put_integer(&data, 6, THRIFT_I64, bytes);
    put_integer(&data, 7, THRIFT_I64, parquet->offset - start);
    if (column->unit && *column->unit) {
        parquet_put_list(&data, 8, THRIFT_STRUCT, 1);
        put_pair(to, "unit", column->unit);
    }
    put_integer(&data, 9, THRIFT_I64, start);
    end_struct(&data);
    end_struct(&chunk);
}

static void write_column(struct parquet *parquet, size_t column, uint64_t *bytes_of_group)
{
    struct parquet_column_state *const state = &parquet->states[column];
    uint64_t const start = parquet->offset;
    struct text header = {0};

    parquet->page.length = 0;
    put_presence(&parquet->page, state, parquet->rows_of_group);
    text_put_bytes(&parquet->page, state->values.at, state->values.length);
    parquet->failed |= state->values.failed || state->presence.failed || parquet->page.failed || !parquet_pack(parquet);
    if (!parquet->failed) {
        put_page_header(&header, parquet, parquet->page.length, parquet->packed.length);
        write_bytes(parquet, header.at, header.length);
        write_bytes(parquet, parquet->packed.at, parquet->packed.length);
        put_chunk(&parquet->groups, parquet, &parquet->columns[column], header.length + parquet->page.length, start);
        *bytes_of_group += header.length + parquet->page.length;
        parquet->failed = header.failed;
    }
    free(header.at);
    state->values.length = state->presence.length = 0;
    state->present = 0;
}

static void write_group(struct parquet *parquet)
{
    struct thrift group = {.to = &parquet->groups};
    uint64_t bytes = 0;

    parquet_put_list(&group, 1, THRIFT_STRUCT, parquet->column_count);
    for (size_t i = 0; i < parquet->column_count && !parquet->failed; i++)
        write_column(parquet, i, &bytes);
    put_integer(&group, 2, THRIFT_I64, bytes);
    put_integer(&group, 3, THRIFT_I64, parquet->rows_of_group);
    end_struct(&group);
    parquet->group_count++;
    parquet->rows_of_group = 0;
}

void parquet_end_row(struct parquet *parquet)
{
    uint64_t bytes = 0;

    if (parquet->failed)
        return;
    for (size_t i = 0; i < parquet->column_count; i++) {
        struct parquet_column_state *const state = &parquet->states[i];

        if (!state->is_put)
            note_presence(parquet, state, false);
        state->is_put = false;
        bytes += state->values.length;
        parquet->failed |= state->values.failed || state->presence.failed;
    }
    parquet->rows++;
    parquet->rows_of_group++;
    if (parquet->rows_of_group == ROWS_OF_GROUP || bytes >= BYTES_OF_GROUP)
        write_group(parquet);
}

/* ---- the end of the file */

static void put_schema(struct thrift *file, const struct parquet *parquet)
{
    struct thrift root = {.to = file->to};

    parquet_put_list(file, 2, THRIFT_STRUCT, parquet->column_count + 1);
    put_string_field(&root, 4, "schema");
    put_integer(&root, 5, THRIFT_I32, parquet->column_count);
    end_struct(&root);
    for (size_t i = 0; i < parquet->column_count; i++) {
        struct parquet_column const *const column = &parquet->columns[i];
        struct thrift element = {.to = file->to}, logical, kind;

        put_integer(&element, 1, THRIFT_I32, parquet_type_of(column->type));
        put_integer(&element, 3, THRIFT_I32, REPETITION_OPTIONAL);
        put_string_field(&element, 4, column->name);
        if (column->type != PARQUET_DOUBLE) {
            put_integer(&element, 6, THRIFT_I32, column->type == PARQUET_STRING ? CONVERTED_UTF8
                        : column->type == PARQUET_UINT64 ? CONVERTED_UINT64 : CONVERTED_INT64);
            logical = begin_struct(&element, 10);
            kind = begin_struct(&logical, column->type == PARQUET_STRING ? 1 : 10);
            if (column->type != PARQUET_STRING) {
                put_field(&kind, 1, THRIFT_I8);
                put_byte(kind.to, 64);
                put_field(&kind, 2, column->type == PARQUET_INT64 ? THRIFT_TRUE : THRIFT_FALSE);
            }
            end_struct(&kind);
            end_struct(&logical);
        }
        end_struct(&element);
    }
}

static void put_units(struct json *json, const struct parquet *parquet)
{
    json_begin_object(json, JSON_TIGHT);
    for (size_t i = 0; i < parquet->column_count; i++)
        if (parquet->columns[i].unit && *parquet->columns[i].unit)
            json_put_string(json, parquet->columns[i].name, parquet->columns[i].unit);
    json_end(json);
}

static bool put_keys(struct thrift *file, const struct parquet *parquet)
{
    struct json units = {0};
    struct text attributes = {0};
    bool good;

    put_units(&units, parquet);
    text_put_bytes(&units.text, "", 1);
    if (!units.text.failed) {
        text_put(&attributes, "{\"units\":");
        text_put(&attributes, units.text.at);
        text_put_bytes(&attributes, "}", 2);
    }
    good = !units.text.failed && !attributes.failed;
    if (good) {
        parquet_put_list(file, 5, THRIFT_STRUCT, 2);
        put_pair(file->to, "units", units.text.at);
        put_pair(file->to, "PANDAS_ATTRS", attributes.at);
    }
    free(units.text.at);
    free(attributes.at);
    return good;
}

static void write_end(struct parquet *parquet)
{
    struct text *const end = &parquet->page;
    struct thrift file = {.to = end};
    unsigned char length[4];

    end->length = 0;
    put_integer(&file, 1, THRIFT_I32, 1);
    put_schema(&file, parquet);
    put_integer(&file, 3, THRIFT_I64, parquet->rows);
    parquet_put_list(&file, 4, THRIFT_STRUCT, parquet->group_count);
    text_put_bytes(end, parquet->groups.at, parquet->groups.length);
    parquet->failed |= !put_keys(&file, parquet);
    put_string_field(&file, 6, "rubato");
    end_struct(&file);
    parquet->failed |= parquet->groups.failed || end->failed;
    if (parquet->failed)
        return;
    bits_store32(length, (uint32_t)end->length);
    write_bytes(parquet, end->at, end->length);
    write_bytes(parquet, length, sizeof length);
    write_bytes(parquet, MAGIC, MAGIC_BYTES);
}

bool parquet_close(struct parquet *parquet)
{
    if (!parquet->failed && parquet->rows_of_group)
        write_group(parquet);
    if (!parquet->failed)
        write_end(parquet);
    for (size_t i = 0; parquet->states && i < parquet->column_count; i++) {
        free(parquet->states[i].values.at);
        free(parquet->states[i].presence.at);
    }
    free(parquet->states);
    free(parquet->page.at);
    free(parquet->packed.at);
    free(parquet->groups.at);
    parquet->states = NULL;
    return !parquet->failed;
}
