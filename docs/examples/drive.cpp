/* Drives a DRAM device with its own requests, at most 64 under way, 4 reads to 1 write, and prints what it gave:
 *     c++ drive.cpp $(pkg-config --cflags --libs rubato) -o drive && ./drive DDR4_2400_8x8 1000000 */
#include <iostream>
#include <rubato.h>
#include <string>

struct Driver {
    rubato_memory *memory;
    unsigned long long requests, sent, place;

    void send() /* until a queue is full; called again when there is room, and after each answer */
    {
        while (sent < requests && rubato_memory_under_way(memory) < 64) {
            auto address = rubato_memory_address(memory, place * 64 % rubato_memory_size_bytes(memory));
            auto access = place % 5 == 0 ? RUBATO_WRITE_POSTED : RUBATO_READ;

            if (rubato_memory_send(memory, address, 64, access, nullptr, nullptr) != RUBATO_ACCEPTED)
                return;
            place = ++sent % 65536 ? place * 48271 % 2147483647 : 1; /* the same 65,536 again and again */
        }
    }
};

int main(int argc, char **argv)
{
    Driver driver = {nullptr, argc > 2 ? std::stoull(argv[2]) : 100000, 0, 1};
    auto room = [](void *self) { static_cast<Driver *>(self)->send(); };
    auto answered = [](void *self, const rubato_answer *) { static_cast<Driver *>(self)->send(); };
    rubato_memory_callbacks callbacks = {answered, room, &driver};
    rubato_error error;
    rubato_system *system = rubato_system_of_device(argc > 1 ? argv[1] : "DDR4_2400_8x8", &error);

    if (system && (driver.memory = rubato_memory_open(system, &callbacks, &error)))
        driver.send();
    if (!driver.memory || !rubato_memory_drain(driver.memory, &error))
        return std::cerr << "drive: " << error.message << '\n', 2;
    std::cout << 64e3 * driver.requests / rubato_memory_now_ps(driver.memory) << " GB/s\n";
    rubato_memory_close(driver.memory);
    rubato_system_close(system);
}
