/* Turns seconds into dates and back, with divisions by constants. */
#include "numbers.h"
#include <stdio.h>
enum { DATES = 14000 };
int main(void)
{
    int64_t wrong = 0, sum = 0;
    for (int i = 0; i < DATES; i++) {
        int64_t seconds = (int64_t)numbers_next() * 3, days = seconds / 86400, shifted = days + 719468;
        int64_t era = shifted / 146097, of_era = shifted % 146097;
        int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
        int64_t of_year = of_era - (365 * years + years / 4 - years / 100), month = (5 * of_year + 2) / 153;
        int64_t day = of_year - (153 * month + 2) / 5 + 1, back;
        month = month < 10 ? month + 3 : month - 9;
        years += era * 400 + (month <= 2);
        sum += day + month * 31 + years + (days + 4) % 7;
        years -= month <= 2;
        back = years / 400 * 146097 + years % 400 * 365 + years % 400 / 4 - years % 400 / 100
               + (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1 - 719468;
        wrong += back != days;
    }
    printf("%lld %lld\n", (long long)sum, (long long)wrong);
    return 0;
}
