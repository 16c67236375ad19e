/* base/json.h: layouts, escapes, numbers, and JSON lines. */
#include <math.h>

#include "base/json.h"
#include "tests/support/unit.h"

static void assert_written(struct json *json, const char *expected)
{
    text_put_bytes(&json->text, "", 1);
    assert_string_equal(json->text.at, expected);
    free(json->text.at);
}

/* The layouts as json.h shows them. */
static void layouts_set_members_apart(void **state)
{
    struct json json = {0};

    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_numbers(&json, "a", (const uint64_t[]){1, 2}, 2);
    json_put_array(&json, "b", JSON_LINES(2, 1));
    json_begin_object(&json, JSON_SPACED);
    json_put_number(&json, "c", 3);
    json_put_bool(&json, "d", true);
    json_end(&json);
    json_begin_object(&json, JSON_TIGHT);
    json_put_number(&json, "c", 4);
    json_put_string(&json, "d", NULL);
    json_end(&json);
    json_end(&json);
    json_put_array(&json, "e", JSON_LINES(2, -1));
    json_write_number(&json, 5);
    json_end(&json);
    json_put_object(&json, "f", JSON_LINES(2, 1));
    json_end(&json);
    json_end(&json);
    assert_written(&json, "{\n \"a\": [1, 2],\n \"b\": [\n  {\"c\": 3, \"d\": true},\n  {\"c\":4,\"d\":null}\n ],\n"
                          " \"e\": [\n  5],\n \"f\": {}\n}");
}

/* "UTF-8 and written as they are, with the escapes that JSON demands, and"; "those above 126 become \u007f to
 * \u00ff" */
static void strings_are_escaped(void **state)
{
    struct json json = {0};

    json_begin_array(&json, JSON_TIGHT);
    json_write_string(&json, "");
    json_write_string(&json, "a\"b\\c\n\x1f/\x7f\xc3\xa9");
    json_write_bytes(&json, "\x7f\xe9\"~");
    json_begin_object(&json, JSON_TIGHT);
    json_put_string(&json, "k\"", "v");
    json_end(&json);
    json_end(&json);
    assert_written(&json, "[\"\","
                          "\"a\\\"b\\\\c\\u000a\\u001f/\\u007f\xc3\xa9\",\"\\u007f\\u00e9\\\"~\",{\"k\\\"\":\"v\"}]");
}

/* Characters that steer a terminal, and bytes outside UTF-8, are written as numbers: DEL, C1, an override of
 * direction, a byte alone, an overlong form, a surrogate. */
static void harmful_characters_are_numbers(void **state)
{
    struct json json = {0};

    (void)state;
    json_begin_array(&json, JSON_SPACED);
    json_write_string(&json, "\x7f\xc2\x9b\xe2\x80\xae\x9b\xc0\x9b\xed\xa0\x80\xe2\x82\xac\xf0\x9f\x8e\xbc\xe2");
    json_end(&json);
    assert_written(&json, "[\"\\u007f\\u009b\\u202e\\u009b\\u00c0\\u009b\\u00ed\\u00a0\\u0080"
                          "\xe2\x82\xac\xf0\x9f\x8e\xbc"
                          "\\u00e2\"]");
}

static void numbers_are_exact(void **state)
{
    struct json json = {0};

    json_begin_array(&json, JSON_TIGHT);
    json_write_number(&json, UINT64_MAX);
    json_write_number(&json, 0);
    json_write_signed(&json, INT64_MIN);
    json_write_real(&json, 0.1, 17);
    json_write_real(&json, 2.5, 6);
    json_write_real(&json, (double)NAN, 6);
    json_write_real(&json, (double)INFINITY, 6);
    json_end(&json);
    assert_written(&json, "[18446744073709551615,0,-9223372036854775808,0.10000000000000001,2.5,null,null]");
}

/* "A value that is finished on the outermost level goes to the file with a newline" */
static void files_get_lines(void **state)
{
    FILE *const file = tmpfile();
    struct json json = {.file = file};
    char text[64] = "";

    assert_non_null(file);
    for (unsigned i = 0; i < 2; i++) {
        json_begin_object(&json, JSON_SPACED);
        json_put_number(&json, "i", i);
        json_end(&json);
    }
    json_write_bool(&json, false);
    json_close(&json);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "{\"i\": 0}\n{\"i\": 1}\nfalse\n");
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_set_members_apart),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(harmful_characters_are_numbers),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(files_get_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
