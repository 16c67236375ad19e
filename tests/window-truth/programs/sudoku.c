/* A sudoku by backtracking. */
#include <stdio.h>
static const char *puzzle = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
static int cell[81], row[9], column[9], box[9], tries;
static int solve(int at)
{
    while (at < 81 && cell[at])
        at++;
    if (at == 81)
        return 1;
    int r = at / 9, c = at % 9, b = r / 3 * 3 + c / 3;
    for (int v = 1; v <= 9; v++) {
        int bit = 1 << v;
        if ((row[r] | column[c] | box[b]) & bit)
            continue;
        tries++;
        cell[at] = v;
        row[r] |= bit;
        column[c] |= bit;
        box[b] |= bit;
        if (solve(at + 1))
            return 1;
        cell[at] = 0;
        row[r] ^= bit;
        column[c] ^= bit;
        box[b] ^= bit;
    }
    return 0;
}
int main(void)
{
    for (int i = 0; i < 81; i++) {
        int v = puzzle[i] - '0';
        cell[i] = v;
        if (v) {
            row[i / 9] |= 1 << v;
            column[i % 9] |= 1 << v;
            box[i / 9 / 3 * 3 + i % 9 / 3] |= 1 << v;
        }
    }
    printf("%d ", solve(0));
    printf("%d %d%d%d\n", tries, cell[2], cell[3], cell[80]);
    return 0;
}
