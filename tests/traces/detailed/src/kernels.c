/* The programs whose instruction traces lie in this folder: small kernels for riscv64 without a library, so that the
 * code images in the traces are this file's alone. Built and captured by make_traces.sh; KERNEL is one of the
 * functions. */
typedef unsigned int u32;
typedef unsigned long u64;

enum { SORTED = 1500, KEYS = 4096, NODES = 4096, SIDE = 20 };

static u64 state = 88172645463325252ul;

static u64 next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Recursive quicksort: branches that depend on data, calls and returns. */
static u32 numbers[SORTED];

static void sort_part(u32 *first, u32 *last)
{
    while (first < last) {
        u32 const pivot = first[(last - first) / 2];
        u32 *left = first, *right = last;

        while (left <= right) {
            while (*left < pivot)
                left++;
            while (*right > pivot)
                right--;
            if (left <= right) {
                u32 const other = *left;

                *left++ = *right;
                *right-- = other;
            }
        }
        sort_part(first, right);
        first = left;
    }
}

__attribute__((unused)) static u64 sort(void)
{
    for (int i = 0; i < SORTED; i++)
        numbers[i] = (u32)next_random();
    sort_part(numbers, numbers + SORTED - 1);
    return numbers[SORTED / 2];
}

/* Open addressing: loads whose address depends on data, stores to the same places soon after. */
static u64 table[2 * KEYS];

__attribute__((unused)) static u64 hash(void)
{
    u64 collisions = 0;

    for (int i = 0; i < KEYS; i++) {
        u64 const key = next_random() | 1;
        u64 place = key * 0x9e3779b97f4a7c15ul >> 51;

        while (table[place] && table[place] != key) {
            place = (place + 1) & (2 * KEYS - 1);
            collisions++;
        }
        table[place] = key;
    }
    return collisions;
}

/* A list in random order, an entry a line: one miss after the other. */
static struct node { struct node *next; u64 value[7]; } nodes[NODES];

__attribute__((unused)) static u64 chase(void)
{
    struct node *node = nodes;
    u64 sum = 0;

    for (u32 i = 0, step = 1; i < NODES; i++, step = step * 5 + 1)
        nodes[step % NODES].next = &nodes[(step * 5 + 1) % NODES];
    for (int i = 0; i < 3 * NODES; i++, node = node->next ? node->next : nodes)
        sum += node->value[0]++;
    return sum;
}

/* Floating point, with a division a row; atomic sums; a system call. */
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

__attribute__((unused)) static u64 matrix(void)
{
    u64 sum = 0;

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            a[i][j] = (double)(next_random() % 100);
            b[i][j] = (double)(next_random() % 100);
        }
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            double product = 0;

            for (int k = 0; k < SIDE; k++)
                product += a[i][k] * b[k][j];
            c[i][j] = product / (double)(i + 1);
        }
        __atomic_fetch_add(&sum, (u64)c[i][i], __ATOMIC_ACQ_REL);
    }
    return sum;
}

static u64 call(u64 number, u64 first)
{
    register u64 a7 __asm__("a7") = number;
    register u64 a0 __asm__("a0") = first;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

void _start(void)
{
    enum { GETPID = 172, EXIT = 93 };
    u64 volatile result = KERNEL();

    call(GETPID, 0);
    call(EXIT, result & 0);
}
