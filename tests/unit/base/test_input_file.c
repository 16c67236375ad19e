/* base/input_file.h: detection of changes, kinds of input, owners of addresses. */
#include "base/input_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/output_file.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-input.XXXXXX";
static char path[64], other[64];

static void write_file(const char *name, const char *text, int flags)
{
    int const file = open(name, O_WRONLY | flags, 0600);

    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static int begin(void **state)
{
    snprintf(path, sizeof path, "%s/a\033b", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    unlink(path);
    unlink(other);
    write_file(path, "0123456789", O_CREAT | O_TRUNC);
    return 0;
}

static void assert_changed(struct fault fault, bool is_changed)
{
    if ((fault.kind != FAULT_NONE) != is_changed)
        fail_msg("expected %s: %s", is_changed ? "a change" : "no change", fault_text(fault));
    if (is_changed)
        assert_text(fault_text(fault), "was changed while it was read");
}

/* "any change of size, time of modification or time of change, between begin and end" */
static void changes(void **state)
{
    enum { NOTHING, WRITTEN, CUT, GROWN, SAME_TIME, RENAMED_OVER, REMOVED, LINKED, MODE, HOWS };

    for (int how = 0; how < HOWS; how++) {
        uint64_t const before = input_file_changes();
        struct input_file *file;
        struct stat about;
        int descriptor;

        begin(NULL);
        descriptor = open(path, O_RDONLY);
        file = input_file_begin(descriptor, path);
        assert_non_null(file);
        assert_int_equal(stat(path, &about), 0);
        switch (how) {
        case WRITTEN: write_file(path, "x", 0); break;
        case CUT: assert_int_equal(truncate(path, 9), 0); break;
        case GROWN: write_file(path, "x", O_APPEND); break;
        case SAME_TIME:
            write_file(path, "x", 0);
            assert_int_equal(utimes(path, (struct timeval[]){{about.st_atim.tv_sec, 0}, {about.st_mtim.tv_sec, 0}}), 0);
            break;
        case RENAMED_OVER: write_file(other, "0123456789", O_CREAT); assert_int_equal(rename(other, path), 0); break;
        case REMOVED: assert_int_equal(unlink(path), 0); break;
        case LINKED: assert_int_equal(link(path, other), 0); break;
        case MODE: assert_int_equal(chmod(path, 0640), 0); break;
        default: break;
        }
        assert_changed(input_file_check(before), how >= WRITTEN && how <= SAME_TIME);
        input_file_end(file);
        close(descriptor);
        assert_changed(input_file_check(before), how >= WRITTEN && how <= SAME_TIME);
        assert_changed(input_file_check(input_file_changes()), false);
    }
}

/* What happens after the end is none of its business; a file may be read, written to, and read again. */
static void changes_afterwards(void **state)
{
    uint64_t const before = input_file_changes();

    for (int i = 0; i < 2; i++) {
        FILE *const file = input_file_fopen(path);

        assert_non_null(file);
        assert_int_equal(getc(file), i == 0 ? '0' : 'x');
        input_file_fclose(file);
        write_file(path, "x", 0);
    }
    assert_changed(input_file_check(before), false);
}

static struct fault output_to(const char *name)
{
    struct output_file output;
    struct fault const fault = output_file_open(&output, name);

    if (fault.kind == FAULT_NONE)
        close(output.descriptor);
    output_file_drop(&output);
    return fault;
}

static void inputs_are_no_outputs(void **state)
{
    FILE *stream;

    input_file_forget(path);                 /* its inode may be that of a file of before */
    assert_int_equal(output_to(path).kind, FAULT_NONE);
    input_file_look_begin();
    input_file_fclose(input_file_fopen(path));
    input_file_look_end();
    assert_int_equal(output_to(path).kind, FAULT_NONE);
    stream = input_file_fopen(path);
    assert_text(fault_text(output_to(path)), "is an input");
    input_file_fclose(stream);
    assert_int_equal(output_to(path).kind, FAULT_NONE);
    input_file_keep();                       /* from here on, for the life of the process */
    input_file_fclose(input_file_fopen(path));
    assert_text(fault_text(output_to(path)), "is an input");
    assert_int_equal(link(path, other), 0);
    assert_text(fault_text(output_to(other)), "is an input");
    unlink(other);
    assert_int_equal(symlink(path, other), 0);
    assert_text(fault_text(output_to(other)), "is an input");
    input_file_forget(path);
    assert_int_equal(output_to(path).kind, FAULT_NONE);
    input_file_note(path);
    assert_text(fault_text(output_to(path)), "is an input");
}

static void addresses(void **state)
{
    for (int copies = 0; copies < 2; copies++) {
        const void *bytes = NULL;
        struct input_file *file;

        if (copies)
            input_file_copy_begin();
        file = input_file_map(open(path, O_RDONLY), path, &bytes, 10);
        if (copies)
            input_file_copy_end();
        assert_non_null(file);
        assert_memory_equal(bytes, "0123456789", 10);
        assert_int_equal(input_file_is_mapped(file), !copies);
        assert_text(input_file_at((const char *)bytes + 9), "a?b");
        input_file_unmap(file);
        assert_null(input_file_at(bytes));
    }
    assert_null(input_file_at(folder));
}

/* All functions take NULL. */
static void null_is_accepted(void **state)
{
    int pipes[2];

    assert_int_equal(pipe(pipes), 0);
    assert_null(input_file_begin(pipes[0], "pipe"));
    input_file_reopened(NULL, -1);
    input_file_end(NULL);
    input_file_unmap(NULL);
    assert_false(input_file_is_mapped(NULL));
    assert_null(input_file_fopen("/no/such/file"));
    close(pipes[0]);
    close(pipes[1]);
}

static int remove_all(void **state)
{
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(changes, begin), cmocka_unit_test_setup(changes_afterwards, begin),
        cmocka_unit_test_setup(inputs_are_no_outputs, begin), cmocka_unit_test_setup(addresses, begin),
        cmocka_unit_test_setup(null_is_accepted, begin)
    };

    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_all);
}
