/* Gives each file named on the command line to a fuzz target: for compilers without a fuzzer, and to repeat a
 * finding. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *const file = fopen(argv[i], "rb");
        uint8_t *data = NULL;
        size_t size = 0, room = 0;

        if (file == NULL) {
            perror(argv[i]);
            return 1;
        }
        do {
            if (size == room) {
                room = room == 0 ? 4096 : 2 * room;
                data = realloc(data, room);
                if (data == NULL)
                    return 1;
            }
            size += fread(data + size, 1, room - size, file);
        } while (!feof(file) && !ferror(file));
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
