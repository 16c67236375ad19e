/* proto/insn/v2p.h: content, and refusals with their places (drmemtrace 9). */
#include <unistd.h>

#include "proto/insn/v2p.h"
#include "tests/support/unit.h"

static char path[] = "/tmp/rubato-v2p-XXXXXX";

static int make_file(void **state)
{
    int const file = mkstemp(path);

    return file < 0 || close(file);
}

static int remove_file(void **state)
{
    return unlink(path);
}

static void write_text(const char *text)
{
    FILE *const file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void pages_are_read(void **state)
{
    struct v2p_map map;
    struct fault fault;

    write_text("# comment: {\npage_size: 0x200000\npage_count: 3 # more\nname: \"x\"\n"
               "address_mapping {\n  virtual_address: 0x7f0000000000\n  physical_address: 4194304\n}\n"
               "address_mapping { physical_address: 0x600000, virtual_address: 0x400000; }\n"
               "address_mapping: {physical_address: 0x800000}\n");
    assert_true(WORKS(fault, v2p_read(path, &map)));
    assert_int_equal(map.page_bytes, 0x200000);
    assert_int_equal(map.count, 3);
    assert_int_equal(map.pages[0].address, 0x7f0000000000);
    assert_int_equal(map.pages[0].physical, 0x400000);
    assert_int_equal(map.pages[0].line, 8);
    assert_int_equal(map.pages[1].address, 0x400000);
    assert_int_equal(map.pages[1].physical, 0x600000);
    assert_int_equal(map.pages[2].address, 0);           /* "a missing virtual_address means 0" */
    assert_int_equal(map.pages[2].physical, 0x800000);
    v2p_free(&map);
}

static void errors_are_reported_with_their_line(void **state)
{
    static const struct { const char *text, *told; } cases[] = {
        {"", "no page_size"},
        {"page_size: 4096\n", "no address_mapping"},
        {"address_mapping { virtual_address: 0 physical_address: 0 }\n", "no page_size"},
        {"page_size: 1000\naddress_mapping { }\n", "page_size is 0x3e8; expected a power of two"},
        {"page_size: 2048\naddress_mapping { }\n", "from 4 KiB to 1 GiB"},
        {"page_size: 4096\naddress_mapping {\nvirtual_address: 1\n}\n", "line 4: 0x1 at 0x0: expected multiples"},
        {"page_size: 4096\n\naddress_mapping { virtual_address 0 }\n", "line 3: expected a colon, found \"0\""},
        {"page_size: many\n", "line 1: expected a number of 64 bits, decimal or 0x and hexadecimal, found \"many\""},
        {"page_size: -4096\n", "expected a number of 64 bits"},
        {"page_size: 99999999999999999999\n", "expected a number of 64 bits"},
        {"page_size: 4096\naddress_mapping { virtual_address: 0\n", "expected virtual_address, physical_address or }, "
         "found the end"},
        {"page_size: 4096\naddress_mapping 7\n", "line 2: expected { after address_mapping, found \"7\""},
        {"{}", "line 1: expected page_size or address_mapping, found \"{\""},
        {"page_size: 4096\n\x01", "line 2: byte 0x01; expected a v2p.textproto"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 1", "a word of more than 63"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct v2p_map map;
        struct fault fault;

        write_text(cases[i].text);
        if (WORKS(fault, v2p_read(path, &map)))
            fail_msg("%s is accepted", cases[i].text);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_text(fault_text(fault), cases[i].told);
        v2p_free(&map);
    }
}

static void no_file_is_a_fault(void **state)
{
    struct v2p_map map;
    struct fault fault;

    assert_false(WORKS(fault, v2p_read("/nonexistent/v2p", &map)));
    assert_text(fault_text(fault), "/nonexistent/v2p");
    v2p_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_read),
        cmocka_unit_test(errors_are_reported_with_their_line),
        cmocka_unit_test(no_file_is_a_fault),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
