/* Encoders of the store's two kinds of block. Use: _new; _encode for each record (or _encode_seen, which is
 * faster), after which a full block must be taken: store_dep_end_block, store_columns_finish on `columns`, then
 * _next_block; _free. _first_key is the key for the index. */
#ifndef PROTO_STORE_STORE_ENCODE_H
#define PROTO_STORE_STORE_ENCODE_H

#include "proto/store/store_columns.h"

struct dep_template;
struct store_dep_encoder;

/* NULL: out of memory. */
struct store_dep_encoder *store_dep_encoder_new(void);
void store_dep_encoder_free(struct store_dep_encoder *encoder);
struct store_columns *store_dep_columns(struct store_dep_encoder *encoder);
/* `template`: the record's, which lives as long as the encoder, or NULL. False: out of memory. */
bool store_dep_encode(struct store_dep_encoder *encoder, const struct dep_record *record,
                      struct dep_template *template);
/* Takes the reader's next record where it lies, if it is one that is expected. False: nothing was done, and it is to be
 * read. */
bool store_dep_encode_seen(struct store_dep_encoder *encoder, struct dep_reader *reader);
bool store_dep_block_is_full(struct store_dep_encoder *encoder);
/* The block has all its records. store_columns_finish reports errors. */
void store_dep_end_block(struct store_dep_encoder *encoder);
void store_dep_next_block(struct store_dep_encoder *encoder);
/* Of the block's first record. */
uint64_t store_dep_first_key(const struct store_dep_encoder *encoder);

struct packet_seen;
struct store_fetch_encoder;

struct store_fetch_encoder *store_fetch_encoder_new(void);
void store_fetch_encoder_free(struct store_fetch_encoder *encoder);
struct store_columns *store_fetch_columns(struct store_fetch_encoder *encoder);
/* `seen`: the record's message, if it was usual, or NULL. */
void store_fetch_encode(struct store_fetch_encoder *encoder, const struct packet_record *record,
                        const struct packet_seen *seen);
/* Takes a message if it is the one that is expected. False: nothing was done, and it is to be read. */
bool store_fetch_encode_seen(struct store_fetch_encoder *encoder, const struct packet_seen *seen);
bool store_fetch_block_is_full(const struct store_fetch_encoder *encoder);
void store_fetch_next_block(struct store_fetch_encoder *encoder);
uint64_t store_fetch_first_key(const struct store_fetch_encoder *encoder);

#endif
