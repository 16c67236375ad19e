/* A stencil of seven points in three dimensions, in single precision. */
#include <stdio.h>
static float g[2][34][34][34];
int main(void)
{
    for (int i = 0; i < 34 * 34 * 34; i++)
        (&g[0][0][0][0])[i] = (float)(i % 17);
    for (int t = 0; t < 2; t++)
        for (int z = 1; z < 33; z++)
            for (int y = 1; y < 33; y++)
                for (int x = 1; x < 33; x++)
                    g[1 - (t & 1)][z][y][x] =
                        0.4f * g[t & 1][z][y][x] +
                        0.1f * (g[t & 1][z - 1][y][x] + g[t & 1][z + 1][y][x] + g[t & 1][z][y - 1][x] +
                                g[t & 1][z][y + 1][x] + g[t & 1][z][y][x - 1] + g[t & 1][z][y][x + 1]);
    printf("%g\n", (double)g[0][9][9][9]);
    return 0;
}
