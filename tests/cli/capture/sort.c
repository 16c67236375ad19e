/* Without the C library, whose choices depend on the CPU: recursion, integers of each size, floating point and a sort
 * in static memory. It executes the same instructions on every host. */
enum { COUNT = 400 };

static unsigned numbers[COUNT];
static unsigned short halves[COUNT];
static double sums[COUNT];
static unsigned char seen[1024];

static void sort(unsigned *first, long count)
{
    const unsigned pivot = first[count / 2];
    long low = 0, high = count - 1;

    while (low <= high) {
        while (first[low] < pivot)
            low++;
        while (first[high] > pivot)
            high--;
        if (low <= high) {
            const unsigned kept = first[low];

            first[low++] = first[high];
            first[high--] = kept;
        }
    }
    if (high > 0)
        sort(first, high + 1);
    if (count - low > 1)
        sort(first + low, count - low);
}

void _start(void)
{
    unsigned state = 1;
    double sum = 0;
    long code = 0;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1103515245u + 12345u;
        numbers[i] = state >> 8;
        seen[state >> 22] = 1;
    }
    sort(numbers, COUNT);
    for (int i = 0; i < COUNT; i++) {
        halves[i] = (unsigned short)(numbers[i] / (unsigned)(i + 1));
        sums[i] = sum += 0.5 * halves[i];
    }
    for (int i = 1; i < COUNT; i++)
        code |= numbers[i - 1] > numbers[i] || sums[i - 1] > sums[i];
    __asm__ volatile("syscall" : : "a"(60), "D"(code) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
