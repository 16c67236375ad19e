/* A factorial in base 10^9: products, quotients and carries. */
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    static uint32_t digit[200] = {1};
    int n = 1;
    for (uint32_t f = 2; f <= 330; f++) {
        uint64_t carry = 0;
        for (int i = 0; i < n; i++) {
            uint64_t p = (uint64_t)digit[i] * f + carry;
            digit[i] = (uint32_t)(p % 1000000000u);
            carry = p / 1000000000u;
        }
        if (carry)
            digit[n++] = (uint32_t)carry;
    }
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + digit[i];
    printf("%d %u\n", n, sum);
    return 0;
}
