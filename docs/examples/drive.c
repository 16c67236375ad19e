/* Drives a DRAM device with its own requests, at most 64 under way, 4 reads to 1 write, and prints what it gave:
 *     cc drive.c $(pkg-config --cflags --libs rubato) -o drive
 *     ./drive DDR4_2400_8x8 1000000 */
#include <rubato.h>
#include <stdio.h>
#include <stdlib.h>

struct driver {
    rubato_memory *memory;
    unsigned long long requests, sent, place;
    bool waits; /* for room */
};

static void send_all(void *context)
{
    struct driver *d = context;

    for (d->waits = false; !d->waits && d->sent < d->requests && rubato_memory_under_way(d->memory) < 64;) {
        /* the same 65,536 again and again */
        unsigned long long place = d->sent % 65536 == 0 ? 1 : d->place * 48271 % 2147483647;
        uint64_t address = rubato_memory_address(d->memory, place * 64 % rubato_memory_size_bytes(d->memory));
        enum rubato_access access = place % 5 == 0 ? RUBATO_WRITE_POSTED : RUBATO_READ;

        d->waits = rubato_memory_send(d->memory, address, 64, access, NULL, NULL) != RUBATO_ACCEPTED;
        d->place = d->waits ? d->place : place;
        d->sent += !d->waits;
    }
}

static void answered(void *context, const rubato_answer *answer)
{
    (void)answer; /* which request it was: answer->user; how long it took: answer->done_ps - answer->sent_ps */
    if (!((struct driver *)context)->waits)
        send_all(context);
}

int main(int argc, char **argv)
{
    struct driver driver = {.requests = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000};
    rubato_memory_callbacks callbacks = {.answered = answered, .has_room = send_all, .context = &driver};
    rubato_error error;
    rubato_system *system = rubato_system_of_device(argc > 1 ? argv[1] : "DDR4_2400_8x8", &error);

    driver.memory = system ? rubato_memory_open(system, &callbacks, &error) : NULL;
    if (driver.memory)
        send_all(&driver);
    if (!driver.memory || !rubato_memory_drain(driver.memory, &error)) {
        fprintf(stderr, "drive: %s\n", error.message);
        return 2;
    }
    printf("%.6f GB/s\n", 64e3 * (double)driver.requests / (double)rubato_memory_now_ps(driver.memory));
    rubato_memory_close(driver.memory);
    rubato_system_close(system);
}
