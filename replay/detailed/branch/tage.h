/* TAGE: a bimodal table and tagged tables of counters behind global histories of geometric lengths; the longest match
 * predicts. The first part of tage_sc_l.c.
 *
 * Use: tage_new; tage_lookup of a conditional branch fills a look-up, which tage_train takes when the branch commits;
 * tage_push for each control micro-op that commits, after its training. tage_free.
 * Source: A. Seznec, "TAGE-SC-L branch predictors again", CBP-5, 2016; parameters: branch-prediction 11. */
#ifndef REPLAY_DETAILED_BRANCH_TAGE_H
#define REPLAY_DETAILED_BRANCH_TAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { TAGE_TABLES = 21 };

enum tage_confidence { TAGE_LOW, TAGE_MEDIUM, TAGE_HIGH };

struct tage_lookup {
    uint16_t index[TAGE_TABLES], tag[TAGE_TABLES];
    uint16_t bimodal;                    /* index */
    uint8_t use_alt;                     /* index of its counter */
    int8_t provider, alternate;          /* tables; -1: the bimodal one */
    uint8_t confidence;                  /* enum tage_confidence, of what provides is_taken */
    bool provider_says, alternate_says, is_taken;
    bool is_new;                         /* the provider was not sure in either direction */
};

struct tage;

struct tage *tage_new(void);
void tage_free(struct tage *tage);

void tage_lookup(const struct tage *tage, struct tage_lookup *lookup, uint64_t pc);
/* was_right: the final prediction was correct, no matter which part made it. */
void tage_train(struct tage *tage, const struct tage_lookup *lookup, bool is_taken, bool was_right);
/* is_indirect: a jump whose target varies; that joins the history. */
void tage_push(struct tage *tage, uint64_t pc, uint64_t target, bool is_taken, bool is_indirect);
/* The last branches' addresses, mixed; newest in the lowest bits. */
uint32_t tage_path(const struct tage *tage);

/* Chance, 0 to limit - 1, for who allocates. */
uint32_t tage_chance(struct tage *tage, uint32_t limit);

#endif
