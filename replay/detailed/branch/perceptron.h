/* Features of the multiperspective perceptron as data: the index of each of its tables (branch-prediction 11). */
#ifndef REPLAY_DETAILED_BRANCH_PERCEPTRON_H
#define REPLAY_DETAILED_BRANCH_PERCEPTRON_H

/* F(kind, a, b, shift, entries, coefficient); entries 0: an equal share of the remaining budget.
 * ACYCLIC(a): last outcomes of branches by pc modulo a + 2. BLURRY(a, b): the last b regions of 2^a bytes. GHIST(a, b):
 * global history from a to b. GHISTMODPATH(a, b): pcs and outcomes of the last b branches whose pc divides by a.
 * GHISTPATH(a): pcs and directions of the last a. IMLI(a): iterations, see perceptron.c. LOCAL: its own history.
 * MODHIST(a, b), MODPATH(a, b): outcomes, pcs alone of such branches. PATH(a): pcs of the last a. RECENCY(a): the a
 * branches met last, each once. RECENCYPOS(a): how many others were met since this one. SGHISTPATH(a, b): as GHISTPATH,
 * b of them from the a-th. Pcs lose `shift` bits. */
#define PERCEPTRON_FEATURES(F)                                                                                        \
    F(ACYCLIC, 10, 0, 0, 0, 1)                                                                                        \
    F(BLURRY, 10, 7, 0, 0, 1)                                                                                         \
    F(GHIST, 0, 19, 0, 0, 1.3125)                                                                                     \
    F(GHIST, 0, 65, 0, 0, .85)                                                                                        \
    F(GHIST, 111, 222, 0, 0, 1)                                                                                       \
    F(GHIST, 115, 206, 0, 0, 1)                                                                                       \
    F(GHIST, 190, 336, 0, 0, 1)                                                                                       \
    F(GHIST, 21, 64, 0, 0, 1)                                                                                         \
    F(GHIST, 48, 119, 0, 0, 1)                                                                                        \
    F(GHIST, 67, 203, 0, 0, .75)                                                                                      \
    F(GHIST, 75, 150, 0, 0, 1)                                                                                        \
    F(GHISTMODPATH, 1, 5, 4, 1913, 1.45)                                                                              \
    F(GHISTMODPATH, 3, 13, 1, 0, 1)                                                                                   \
    F(GHISTPATH, 105, 0, 4, 0, 1)                                                                                     \
    F(GHISTPATH, 11, 0, 2, 0, 1.25)                                                                                   \
    F(GHISTPATH, 15, 0, 4, 0, 1.125)                                                                                  \
    F(GHISTPATH, 23, 0, 4, 0, 1)                                                                                      \
    F(GHISTPATH, 31, 0, 1, 0, 1)                                                                                      \
    F(GHISTPATH, 32, 0, 2, 0, 1)                                                                                      \
    F(GHISTPATH, 36, 0, 4, 0, 1)                                                                                      \
    F(GHISTPATH, 51, 0, 1, 0, 1)                                                                                      \
    F(GHISTPATH, 7, 0, 1, 0, 1.5)                                                                                     \
    F(GHISTPATH, 72, 0, 1, 0, 1)                                                                                      \
    F(GHISTPATH, 86, 0, 4, 0, 1)                                                                                      \
    F(IMLI, 1, 0, 0, 0, 1.8125)                                                                                       \
    F(IMLI, 4, 0, 0, 1536, 1.78125)                                                                                   \
    F(LOCAL, 0, 0, 0, 1024, 1)                                                                                        \
    F(LOCAL, 0, 0, 0, 3467, 2)                                                                                        \
    F(MODHIST, 1, 16, 0, 0, .9375)                                                                                    \
    F(MODPATH, 3, 20, 1, 0, 1)                                                                                        \
    F(PATH, 13, 0, 2, 0, 1.4375)                                                                                      \
    F(PATH, 27, 0, 5, 0, 1)                                                                                           \
    F(RECENCY, 10, 0, 3, 1024, .55)                                                                                   \
    F(RECENCY, 14, 0, 4, 0, 1.3125)                                                                                   \
    F(RECENCYPOS, 31, 0, 0, 0, 1.5)                                                                                   \
    F(SGHISTPATH, 1, 2, 5, 768, 1.25)                                                                                 \
    F(SGHISTPATH, 1, 5, 2, 972, 1.3125)

#endif
