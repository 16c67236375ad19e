/* Edit distance of two random strings, row by row. */
#include <stdio.h>
static char a[300], b[300];
static int row[301];
int main(void)
{
    unsigned x = 7;
    int total = 0;
    for (int i = 0; i < 300; i++) {
        x = x * 1103515245 + 12345;
        a[i] = 'a' + (x >> 16) % 4;
        x = x * 1103515245 + 12345;
        b[i] = 'a' + (x >> 16) % 4;
    }
    for (int j = 0; j <= 300; j++)
        row[j] = j;
    for (int i = 1; i <= 150; i++) {
        int diag = row[0];
        row[0] = i;
        for (int j = 1; j <= 300; j++) {
            int up = row[j], best = diag + (a[i - 1] != b[j - 1]);
            if (up + 1 < best)
                best = up + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diag = up;
            row[j] = best;
        }
    }
    for (int j = 0; j <= 300; j++)
        total += row[j];
    printf("%d\n", total);
    return 0;
}
