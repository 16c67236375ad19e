/* proto/capture/host.h: which file a name is, scripts, ELF headers; every refusal names the content
 * found. */
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/capture/host.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-program-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(void **state)
{
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

static void write_file(const char *name, const void *bytes, size_t count, mode_t mode)
{
    FILE *const file = fopen(name, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(name, mode), 0);
}

static void write_script(const char *name, const char *text)
{
    write_file(name, text, strlen(text), 0755);
}

/* An ELF file with two segments: a loader's name and 64 bytes of code, and a symbol table of two. */
struct elf {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    Elf64_Shdr sections[2];
    Elf64_Sym symbols[2];
    char names[16], loader[16];
    uint8_t code[64];
};

static struct elf usual_elf(unsigned machine)
{
    struct elf elf = {
        .header = {
            .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1}, .e_type = ET_DYN, .e_machine =
            (uint16_t)machine, .e_phoff = offsetof(struct elf, segments), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum =
            2, .e_shoff = offsetof(struct elf, sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 2
        },
        .segments = {
            {.p_type = PT_INTERP, .p_offset = offsetof(struct elf, loader), .p_filesz = 9},
            {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = offsetof(struct elf, code), .p_vaddr = 0x1000,
             .p_filesz = 64, .p_memsz = 64}
        },
        .sections = {
            {.sh_type = SHT_SYMTAB, .sh_link = 1, .sh_offset = offsetof(struct elf, symbols), .sh_size =
             2 * sizeof(Elf64_Sym)},
            {.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct elf, names), .sh_size = 16}
        },
        .symbols = {{.st_name = 1, .st_shndx = 1, .st_value = 0x1010},
                    {.st_name = 6, .st_shndx = 1, .st_value = 0x1020}},
        .names = "\0main\0work_on", .loader = "/lib/ld.", .code = {0xc3}
    };

    return elf;
}

static void write_elf(const char *name, unsigned machine)
{
    const struct elf elf = usual_elf(machine);

    write_file(name, &elf, sizeof elf, 0755);
}

static void refuse(char *const *argv, const char *search, const char *said)
{
    struct program program;
    struct fault error = fault_none();

    assert_false(WORKS(error, program_find(&program, argv, search)));
    assert_int_equal(error.kind, FAULT_INPUT);
    assert_text(fault_text(error), said);
    program_free(&program);
}

static void refuse_file(const char *name, const char *said)
{
    char *argv[] = {(char *)(uintptr_t)name, NULL};

    refuse(argv, NULL, said);
}

static void names_are_found_as_a_shell_does(void **state)
{
    char *argv[] = {"tool", "an argument", NULL}, *here[] = {"./one/tool", NULL}, *no[] = {"nothing", NULL};
    struct program program;
    struct fault error = fault_none();

    assert_int_equal(mkdir("one", 0755) | mkdir("two", 0755), 0);
    write_file("one/tool", "x", 1, 0644);                /* not executable: the next folder's */
    write_elf("two/tool", EM_X86_64);
    assert_int_equal(mkdir("tool", 0755), 0);            /* a folder is no program */
    assert_true(WORKS(error, program_find(&program, argv, ":/nowhere:one:two")));
    assert_string_equal(program.path, "two/tool");
    assert_string_equal(program.argv[0], "tool");
    assert_string_equal(program.argv[1], "an argument");
    assert_null(program.argv[2]);
    assert_int_equal(program.isa, ISA_X86_64);
    assert_false(program.is_fixed);
    assert_string_equal(program.loader, "/lib/ld.");
    assert_int_equal(program.first_code, 0x1000);
    program_free(&program);
    refuse(here, "two", "may not be executed");
    refuse(no, "one:two", "no such program in $PATH; give its path, such as ./nothing");
    refuse_file("./nothing", "No such file or directory");
    assert_int_equal(rmdir("tool"), 0);
    write_elf("tool", EM_AARCH64);
    assert_true(WORKS(error, program_find(&program, argv, ":two")));    /* an empty folder is this one */
    assert_string_equal(program.path, "./tool");
    assert_int_equal(program.isa, ISA_A64);
    program_free(&program);
}

static void scripts(void **state)
{
    static const struct { const char *line; const char *argument; } cases[] = {
        {"#!./interpreter\n", NULL},
        {"#! \t ./interpreter\t \r\n", NULL},
        {"#!./interpreter -x\necho\n", "-x"},
        {"#!./interpreter  -x and more  \n", "-x and more"},
        {"#!./interpreter", NULL}
    };
    struct program program;
    struct fault error = fault_none();

    write_elf("interpreter", EM_RISCV);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *argv[] = {"./script", "one", NULL};
        char **word;

        write_script("script", cases[i].line);
        assert_true(WORKS(error, program_find(&program, argv, NULL)));
        assert_string_equal(program.path, "./interpreter");
        assert_int_equal(program.isa, ISA_RV64);
        word = program.argv;
        assert_string_equal(*word++, "./interpreter");
        if (cases[i].argument != NULL)
            assert_string_equal(*word++, cases[i].argument);
        assert_string_equal(*word++, "./script");
        assert_string_equal(*word++, "one");
        assert_null(*word);
        program_free(&program);
    }
    write_script("script", "#!\n");
    refuse_file("./script", "#! without an interpreter");
    write_script("script", "#!");
    refuse_file("./script", "#! without an interpreter");
    write_script("script", "#!./none\n");
    refuse_file("./script", "its interpreter ./none is missing or may not be executed");
    write_script("script", "#!.\n");
    refuse_file("./script", "its interpreter . is missing or may not be executed");
}

static void scripts_of_scripts(void **state)
{
    struct program program;
    struct fault error = fault_none();
    char *four[] = {"./s4", NULL};

    write_elf("interpreter", EM_RISCV);
    write_script("s0", "#!./interpreter\n");
    for (char i = '1'; i < '7'; i++) {
        char name[] = {'s', i, '\0'}, text[] = {'#', '!', '.', '/', 's', (char)(i - 1), '\n', '\0'};

        write_script(name, text);
    }
    assert_true(WORKS(error, program_find(&program, four, NULL)));      /* the kernel's limit: five in all */
    assert_string_equal(program.argv[0], "./interpreter");
    assert_string_equal(program.argv[1], "./s0");
    assert_string_equal(program.argv[5], "./s4");
    program_free(&program);
    refuse_file("./s5", "scripts that interpret scripts, 5 deep");
    write_script("self", "#!./self\n");
    refuse_file("./self", "scripts that interpret scripts, 5 deep");
}

static void files_that_are_no_programs(void **state)
{
    struct elf elf = usual_elf(EM_X86_64);

    write_file("file", "", 0, 0755);
    refuse_file("./file", "it is empty");
    write_file("file", "#", 1, 0755);
    refuse_file("./file", "neither ELF nor a script");
    write_file("file", &elf, sizeof elf.header - 1, 0755);
    refuse_file("./file", "neither ELF nor a script");
    elf.header.e_ident[EI_CLASS] = ELFCLASS32;
    elf.header.e_machine = EM_386;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "ELF of machine 3 (x86, 32 bits); x86-64, aarch64 and riscv64 of 64 bits");
    elf = usual_elf(EM_AARCH64);
    elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "can be captured");
    write_elf("file", EM_S390);
    refuse_file("./file", "ELF of machine 22 (s390)");
    write_elf("file", 999);
    refuse_file("./file", "ELF of machine 999 (another machine)");
    elf = usual_elf(EM_X86_64);
    elf.header.e_type = ET_REL;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "ELF of type 1; expected a program (2 or 3): objects must be linked first");
    elf = usual_elf(EM_X86_64);
    elf.header.e_phnum = UINT16_MAX;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "lies behind the end of the file");
    elf = usual_elf(EM_X86_64);
    elf.header.e_phoff = UINT64_MAX - 8;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "program header 0 lies behind the end of the file");
    elf = usual_elf(EM_X86_64);
    elf.segments[0].p_filesz = 8;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "the name of its loader is cut");
    elf.segments[0].p_filesz = UINT64_MAX;
    write_file("file", &elf, sizeof elf, 0755);
    refuse_file("./file", "the name of its loader is cut");
}

/* Each byte of the headers set to each of a few values: nothing beyond the file is read, and loops end. */
static void damaged_headers(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0xff};
    char *argv[] = {"./file", NULL};

    for (size_t i = 0; i < offsetof(struct elf, code); i++)
        for (size_t k = 0; k < COUNT(values); k++) {
            struct elf elf = usual_elf(EM_X86_64);
            struct fault error = fault_none();
            struct program program;
            const uint8_t *bytes;
            unsigned place = 0;
            uint64_t address;
            size_t count;

            ((uint8_t *)&elf)[i] = values[k];
            write_file("file", &elf, sizeof elf, 0755);
            if (WORKS(error, program_find(&program, argv, NULL))) {
                while (program_code(&program, &place, &address, &bytes, &count))
                    assert_true(bytes >= program.file && bytes + count <= program.file + program.file_bytes &&
                                address + count >= address);
                error = program_symbol(&program, "none", &address);
            }
            program_free(&program);
        }
}

static void code_and_symbols(void **state)
{
    char *argv[] = {"./file", NULL};
    struct elf elf = usual_elf(EM_X86_64);
    struct program program;
    struct fault error = fault_none();
    const uint8_t *bytes;
    unsigned place = 0;
    uint64_t address;
    size_t count;

    write_elf("file", EM_X86_64);
    assert_true(WORKS(error, program_find(&program, argv, NULL)));
    assert_true(program_code(&program, &place, &address, &bytes, &count));
    assert_int_equal(address, 0x1000);
    assert_int_equal(count, 64);
    assert_int_equal(bytes[0], 0xc3);
    assert_false(program_code(&program, &place, &address, &bytes, &count));
    assert_true(WORKS(error, program_symbol(&program, "work_on", &address)));
    assert_int_equal(address, 0x1020);
    assert_false(WORKS(error, program_symbol(&program, "work", &address)));
    assert_text(fault_text(error), "no symbol work; there is work_on");
    assert_false(WORKS(error, program_symbol(&program, "nothing", &address)));
    assert_text(fault_text(error), "no symbol nothing among its 2");
    program_free(&program);
    elf.header.e_shnum = 0;
    write_file("file", &elf, sizeof elf, 0755);
    assert_true(WORKS(error, program_find(&program, argv, NULL)));
    assert_false(WORKS(error, program_symbol(&program, "main", &address)));
    assert_text(fault_text(error), "it has no symbols (stripped)");
    program_free(&program);
    /* At the end of all addresses: a segment that would wrap is none. */
    elf.segments[1].p_vaddr = UINT64_MAX - 16;
    write_file("file", &elf, sizeof elf, 0755);
    assert_true(WORKS(error, program_find(&program, argv, NULL)));
    place = 0;
    assert_false(program_code(&program, &place, &address, &bytes, &count));
    program_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_as_a_shell_does),
        cmocka_unit_test(scripts),
        cmocka_unit_test(scripts_of_scripts),
        cmocka_unit_test(files_that_are_no_programs),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(code_and_symbols)
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
