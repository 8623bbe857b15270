/*
 * Alquerque endgame tables: the C interface.
 *
 * Points are numbered along the ranks from a1 = 0 to e5 = 24; a set of points has bit n for point n.
 * Values and distances are for the side to move. Distances are in plies.
 *
 * Every function may be called by any number of threads at once, on one tablebase or on several; only
 * alq_close must be the last call on its tablebase. There is no global state. Null pointers and values
 * without a meaning are errors.
 *
 * Most functions return a status. If details is not null, a sentence that tells what went wrong is written to
 * its details_size bytes, cut off if need be and NUL-terminated; an empty one when nothing did.
 */

#ifndef ALQUERQUE_H
#define ALQUERQUE_H

/* Made by cbindgen from src/capi: do not edit. */

#include <stddef.h>
#include <stdint.h>

/*
 Stands for a distance that there is not: draws, and metrics that are not on disk.
 */
#define ALQ_NO_DISTANCE -1

/*
 The most points that the path of a move can have.
 */
#define ALQ_MAX_PATH 13

/*
 Bytes of the text form of a move, with its NUL.
 */
#define ALQ_MOVE_TEXT_SIZE 40

/*
 Bytes that are enough for the text form of any position, with its NUL.
 */
#define ALQ_POSITION_TEXT_SIZE 256

/*
 What a call came to. The numbers do not change.
 */
typedef enum alq_status {
  /*
   Done.
   */
  ALQ_STATUS_OK = 0,
  /*
   A pointer that must not be null is null.
   */
  ALQ_STATUS_NULL_POINTER = 1,
  /*
   A text is not UTF-8.
   */
  ALQ_STATUS_NOT_UTF8 = 2,
  /*
   There are no rules of that name, or the text of a rule file is wrong.
   */
  ALQ_STATUS_UNKNOWN_RULES = 3,
  /*
   The position is illegal under the rules.
   */
  ALQ_STATUS_INVALID_POSITION = 4,
  /*
   The move is not legal in the position, or not written like a move.
   */
  ALQ_STATUS_ILLEGAL_MOVE = 5,
  /*
   There is no folder of tables for the rules.
   */
  ALQ_STATUS_NO_TABLES = 6,
  /*
   The table that the answer needs is not there.
   */
  ALQ_STATUS_MISSING_TABLE = 7,
  /*
   A table is damaged, cut off, or not what its name says.
   */
  ALQ_STATUS_DAMAGED_TABLE = 8,
  /*
   A file cannot be read.
   */
  ALQ_STATUS_IO = 9,
  /*
   The answer is longer than the buffer; what fits has been written.
   */
  ALQ_STATUS_BUFFER_TOO_SMALL = 10,
  /*
   A defect of the library. The call had no effect.
   */
  ALQ_STATUS_INTERNAL = 11,
} alq_status;

/*
 The open tables of one rule set.
 */
typedef struct alq_tablebase alq_tablebase;

/*
 A position as plain integers. Any values are allowed here; they are checked when they are used.

 Bit n of a set stands for point n, counted along the ranks from a1 = 0 to e5 = 24.
 */
typedef struct alq_position {
  /*
   White's stones.
   */
  uint32_t white;
  /*
   Black's stones.
   */
  uint32_t black;
  /*
   Stones of either side that may not step towards file a (no-return rule), else 0.
   */
  uint32_t no_west;
  /*
   Stones of either side that may not step towards file e (no-return rule), else 0.
   */
  uint32_t no_east;
  /*
   The side to move: 0 is White, 1 is Black.
   */
  uint8_t side;
  /*
   Plies without a capture so far, under rules that count them, else 0.
   */
  uint8_t plies;
} alq_position;

/*
 What best play leads to, for the side to move.
 */
typedef struct alq_verdict {
  /*
   1 the side to move wins, 0 draw, -1 it loses.
   */
  int8_t value;
  /*
   Plies up to and including the next capture or until the end of the game, or `ALQ_NO_DISTANCE`.
   */
  int32_t dtc;
  /*
   Plies until the end of the game, or `ALQ_NO_DISTANCE`.
   */
  int32_t dtw;
} alq_verdict;

/*
 A legal move.
 */
typedef struct alq_move {
  /*
   The text form: "c2-c3" for a step, "c3xc5xe3" for a chain of jumps. NUL-terminated.
   */
  char text[ALQ_MOVE_TEXT_SIZE];
  /*
   The starting point and every landing point, each 0 (a1) to 24 (e5); 0 beyond `path_length`.
   */
  uint8_t path[ALQ_MAX_PATH];
  /*
   How many points the path has: 2 or more.
   */
  uint8_t path_length;
  /*
   The points of the captured stones, one bit each; 0 for a step.
   */
  uint32_t captured;
} alq_move;

/*
 A legal move and what it leads to.
 */
typedef struct alq_ranked_move {
  /*
   The move.
   */
  struct alq_move mv;
  /*
   The position after it.
   */
  struct alq_position after;
  /*
   What the mover gets by playing it. Distances count from the position before the move.
   */
  struct alq_verdict verdict;
} alq_ranked_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 A short sentence for any `alq_status`, and for any other number. The text is constant: do not free
 it.
 */
const char *alq_status_message(int32_t status);

/*
 The version of the library, such as "0.1.0". The text is constant: do not free it.
 */
const char *alq_version(void);

/*
 Opens the tables of `rules` below the folder `dir`, which holds a folder for each rule set. Here and in
 all other calls, `rules` is the name of a built-in rule set, such as "classic", or the whole text of a
 rule file. Up to about `cache_bytes` bytes of decoded tables are kept in memory; 0 stands for 64 MiB.
 `*tablebase` is null when it fails. Any number of tablebases can be open, also of the same folder.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_open(const char *dir,
                         const char *rules,
                         uint64_t cache_bytes,
                         struct alq_tablebase **tablebase,
                         char *details,
                         size_t details_size);

/*
 Closes a tablebase. It must not be used afterwards, nor by another thread at the same time. Null is passed
 over.

 # Safety
 `tablebase` is null or comes from `alq_open` and has not been closed.
 */
void alq_close(struct alq_tablebase *tablebase);

/*
 Writes to `value` who wins `position`: 1 the side to move, 0 nobody, -1 the other side. Faster than
 `alq_probe`.

 # Safety
 As for `alq_start_position`; `tablebase` comes from `alq_open` and has not been closed.
 */
enum alq_status alq_probe_value(const struct alq_tablebase *tablebase,
                                const struct alq_position *position,
                                int8_t *value,
                                char *details,
                                size_t details_size);

/*
 Writes value and distances of `position` to `verdict`.

 # Safety
 As for `alq_probe_value`.
 */
enum alq_status alq_probe(const struct alq_tablebase *tablebase,
                          const struct alq_position *position,
                          struct alq_verdict *verdict,
                          char *details,
                          size_t details_size);

/*
 As `alq_probe`, for a position in text form.

 # Safety
 As for `alq_probe_value`.
 */
enum alq_status alq_probe_text(const struct alq_tablebase *tablebase,
                               const char *text,
                               struct alq_verdict *verdict,
                               char *details,
                               size_t details_size);

/*
 Writes the legal moves of `position` to `moves`, which has room for `capacity`, and their number to
 `count`. If there are more than `capacity`, the first ones are written and `ALQ_STATUS_BUFFER_TOO_SMALL`
 is returned; so `moves` null and `capacity` 0 just count. There are none when the game is over. The order
 is fixed.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_legal_moves(const char *rules,
                                const struct alq_position *position,
                                struct alq_move *moves,
                                size_t capacity,
                                size_t *count,
                                char *details,
                                size_t details_size);

/*
 As `alq_legal_moves`, with what each move leads to; best moves first: wins by fewest plies, then draws,
 then losses by most plies.

 # Safety
 As for `alq_probe_value`.
 */
enum alq_status alq_ranked_moves(const struct alq_tablebase *tablebase,
                                 const struct alq_position *position,
                                 struct alq_ranked_move *moves,
                                 size_t capacity,
                                 size_t *count,
                                 char *details,
                                 size_t details_size);

/*
 Writes to `after` the position after the move that is written `mv`, such as "c2-c3". `after` may be
 `position`.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_play(const char *rules,
                         const struct alq_position *position,
                         const char *mv,
                         struct alq_position *after,
                         char *details,
                         size_t details_size);

/*
 Writes the number of move sequences of exactly `depth` plies from `position` to `count`.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_perft(const char *rules,
                          const struct alq_position *position,
                          uint32_t depth,
                          uint64_t *count,
                          char *details,
                          size_t details_size);

/*
 Writes the start position of `rules` to `position`.

 # Safety
 Texts are NUL-terminated, and each pointer is null or points to what the function's signature says.
 */
enum alq_status alq_start_position(const char *rules,
                                   struct alq_position *position,
                                   char *details,
                                   size_t details_size);

/*
 Reads the text form of a position under `rules`, such as "5/1b3/2w2/5/5 w" or "start", into `position`.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_parse_position(const char *rules,
                                   const char *text,
                                   struct alq_position *position,
                                   char *details,
                                   size_t details_size);

/*
 Writes the text form of `position` to the `size` bytes at `buffer`; `ALQ_POSITION_TEXT_SIZE` bytes are
 always enough.

 # Safety
 As for `alq_start_position`.
 */
enum alq_status alq_position_text(const char *rules,
                                  const struct alq_position *position,
                                  char *buffer,
                                  size_t size,
                                  char *details,
                                  size_t details_size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ALQUERQUE_H */
