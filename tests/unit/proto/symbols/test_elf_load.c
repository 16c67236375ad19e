/* proto/symbols/elf_load.h: small files, placed by images that have their code, or another's; files that are cut. */
#include "proto/symbols/elf_load.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

enum { CODE_AT = 4096, CODE_BYTES = 6000, FILE_BYTES = CODE_AT + CODE_BYTES };

static const char path[] = "build/test_elf_load.elf";
static uint8_t file[FILE_BYTES];

static void make_file(uint16_t type, uint64_t address)
{
    Elf64_Ehdr head = {.e_type = type, .e_phoff = sizeof head, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1};
    Elf64_Phdr const code = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE_AT, .p_vaddr = address,
                             .p_filesz = CODE_BYTES, .p_memsz = CODE_BYTES};

    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    memset(file, 0, sizeof file);
    memcpy(file, &head, sizeof head);
    memcpy(file + sizeof head, &code, sizeof code);
    for (unsigned i = 0; i < CODE_BYTES; i++)
        file[CODE_AT + i] = (uint8_t)(i * 37 + i / 256);
}

static struct fault read_first(struct elf_load *elf, size_t bytes)
{
    FILE *const to = fopen(path, "wb");
    struct fault fault;

    assert_non_null(to);
    assert_int_equal(fwrite(file, 1, bytes, to), bytes);
    fclose(to);
    fault = elf_load_read(elf, path);
    remove(path);
    return fault;
}

static void a_moved_file_is_where_its_bytes_are(void **state)
{
    static uint8_t memory[3 * 4096];
    struct insn_image const image = {0x40000000, sizeof memory, memory};
    struct elf_load elf;
    uint64_t base = 0;

    (void)state;
    make_file(ET_DYN, 0x1040);
    memcpy(memory + 4096 + 0x40, file + CODE_AT, CODE_BYTES);
    assert_true(read_first(&elf, FILE_BYTES).kind == FAULT_NONE);
    assert_true(elf_load_place(&elf, &image, 1, &base));
    assert_int_equal(base, 0x40000000);
    memory[4096 + 0x40 + 5000]++;        /* one byte is another's */
    assert_false(elf_load_place(&elf, &image, 1, &base));
    elf_load_free(&elf);
}

static void a_fixed_file_is_at_its_place_or_is_another(void **state)
{
    struct elf_load elf;
    struct insn_image image = {0x10000, CODE_BYTES, file + CODE_AT};
    uint64_t base = 1;

    (void)state;
    make_file(ET_EXEC, 0x10000);
    assert_true(read_first(&elf, FILE_BYTES).kind == FAULT_NONE);
    assert_true(elf_load_place(&elf, &image, 1, &base));
    assert_int_equal(base, 0);
    image.address = 0x20000;
    assert_false(elf_load_place(&elf, &image, 1, &base));
    elf_load_free(&elf);
}

static void cut_files_and_others_are_refused(void **state)
{
    struct elf_load elf;

    (void)state;
    make_file(ET_DYN, 0);
    assert_true(read_first(&elf, sizeof(Elf64_Ehdr)).kind == FAULT_INPUT);
    assert_true(read_first(&elf, 10).kind == FAULT_INPUT);
    file[0] = 'x';
    assert_true(read_first(&elf, FILE_BYTES).kind == FAULT_INPUT);
    assert_true(elf_load_read(&elf, "build/no such file").kind == FAULT_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_file_is_where_its_bytes_are),
        cmocka_unit_test(a_fixed_file_is_at_its_place_or_is_another),
        cmocka_unit_test(cut_files_and_others_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
