/* Drives a DRAM device with its own requests, at most 64 under way, 4 reads to 1 write, and prints what it gave:
 *     c++ drive.cpp $(pkg-config --cflags --libs rubato) -o drive
 *     ./drive DDR4_2400_8x8 1000000 */
#include <cstdio>
#include <cstdlib>
#include <rubato.h>

struct Driver {
    rubato_memory *memory = nullptr;
    unsigned long long requests = 0, sent = 0, place = 0, reads = 0, latency_ps = 0;
    bool waits = false; /* for room */

    void send_all()
    {
        for (waits = false; !waits && sent < requests && rubato_memory_under_way(memory) < 64;) {
            auto const next = sent % 65536 == 0 ? 1 : place * 48271 % 2147483647; /* again and again the same */
            auto const address = rubato_memory_address(memory, next * 64 % rubato_memory_size_bytes(memory));
            auto const access = next % 5 == 0 ? RUBATO_WRITE_POSTED : RUBATO_READ;

            waits = rubato_memory_send(memory, address, 64, access, nullptr, nullptr) != RUBATO_ACCEPTED;
            place = waits ? place : next;
            sent += !waits;
        }
    }
};

int main(int argc, char **argv)
{
    rubato_error error;
    Driver driver;
    rubato_memory_callbacks callbacks = {};
    rubato_system *system = rubato_system_of_device(argc > 1 ? argv[1] : "DDR4_2400_8x8", &error);

    callbacks.context = &driver;
    callbacks.has_room = [](void *self) { static_cast<Driver *>(self)->send_all(); };
    callbacks.answered = [](void *self, const rubato_answer *answer) {
        auto &driver = *static_cast<Driver *>(self);
        driver.reads++;
        driver.latency_ps += answer->done_ps - answer->sent_ps;
        if (!driver.waits)
            driver.send_all();
    };
    driver.requests = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000;
    driver.memory = system ? rubato_memory_open(system, &callbacks, &error) : nullptr;
    if (driver.memory)
        driver.send_all();
    if (!driver.memory || !rubato_memory_drain(driver.memory, &error)) {
        std::fprintf(stderr, "drive: %s\n", error.message);
        return 2;
    }
    std::printf("%.6f GB/s, ", 64e3 * double(driver.requests) / double(rubato_memory_now_ps(driver.memory)));
    std::printf("%.3f ns a read\n", 1e-3 * double(driver.latency_ps) / double(driver.reads));
    rubato_memory_close(driver.memory);
    rubato_system_close(system);
}
