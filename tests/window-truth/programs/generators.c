/* Resumes generators that leave and return by setjmp and longjmp, and throws out of nested calls. */
#include "numbers.h"
#include <setjmp.h>
#include <stdio.h>
enum { TURNS = 9000 };
static jmp_buf caught;
static uint64_t sum;
static __attribute__((noinline)) int nested(uint32_t n, int depth)
{
    if (depth == 0) {
        if (n % 3 == 0)
            longjmp(caught, 1 + (int)(n % 5));
        return (int)(n & 7);
    }
    return nested(n, depth - 1) + 1;
}
int main(void)
{
    for (volatile int turn = 0; turn < TURNS; turn++) {
        uint32_t n = numbers_next();
        int code = setjmp(caught);
        switch (code) {
        case 0: sum += (uint64_t)nested(n, 1 + (int)(n >> 29)); break;
        case 1: sum ^= n; break;
        case 2: sum += 7; break;
        case 3: sum = sum << 1 | sum >> 63; break;
        default: sum -= (uint64_t)code;
        }
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
