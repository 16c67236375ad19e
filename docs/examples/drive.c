/* Drives a DRAM device with its own requests, at most 64 under way, 4 reads to 1 write, and prints what it gave:
 *     cc drive.c $(pkg-config --cflags --libs rubato) -o drive && ./drive DDR4_2400_8x8 1000000 */
#include <rubato.h>
#include <stdio.h>
#include <stdlib.h>

static void answered(void *context, const rubato_answer *answer) /* which request it was: answer->user */
{
    *(double *)context += 1e-3 * (double)(answer->done_ps - answer->sent_ps);
}

int main(int argc, char **argv)
{
    unsigned long long requests = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000, sent = 0, place = 1, reads = 0;
    double latencies_ns = 0;
    rubato_memory_callbacks callbacks = {.answered = answered, .context = &latencies_ns};
    rubato_error error;
    rubato_system *system = rubato_system_of_device(argc > 1 ? argv[1] : "DDR4_2400_8x8", &error);
    rubato_memory *memory = system ? rubato_memory_open(system, &callbacks, &error) : NULL;

    while (memory && sent < requests && error.kind == RUBATO_OK) {
        uint64_t address = rubato_memory_address(memory, place * 64 % rubato_memory_size_bytes(memory));
        bool is_read = place % 5 != 0;

        if (rubato_memory_under_way(memory) == 64
            || rubato_memory_send(memory, address, 64, is_read ? RUBATO_READ : RUBATO_WRITE_POSTED, NULL, &error)
                   == RUBATO_REFUSED) {
            rubato_memory_wait(memory, &error); /* for an answer, or room */
        } else {
            reads += is_read;
            place = ++sent % 65536 ? place * 48271 % 2147483647 : 1; /* the same 65,536 again and again */
        }
    }
    if (!memory || error.kind != RUBATO_OK || !rubato_memory_drain(memory, &error))
        return fprintf(stderr, "drive: %s\n", error.message), 2;
    printf("%.6f GB/s, ", 64e3 * (double)requests / (double)rubato_memory_now_ps(memory));
    printf("%.3f ns a read\n", latencies_ns / (double)reads);
    rubato_memory_close(memory);
    rubato_system_close(system);
}
