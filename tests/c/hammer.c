/*
 * Calls every function of the C interface: with sound arguments from 16 threads at once on two tablebases, with null and
 * garbage arguments, and opening and closing over and over. Prints "ok" when every answer is right.
 *
 *     hammer TABLES threads ROUNDS | garbage | reopen TIMES
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alquerque.h"

#define THREADS 16
#define MOVES 64

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static const char *tables_dir;
static int rounds;
static alq_tablebase *classic, *youzai;

static alq_tablebase *open_tables(const char *rules) {
    alq_tablebase *tables = NULL;
    char details[200];
    alq_status status = alq_open(tables_dir, rules, 0, &tables, details, sizeof details);
    if (status != ALQ_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", alq_status_message(status), details);
        exit(1);
    }
    CHECK(tables != NULL && details[0] == '\0');
    return tables;
}

/* Every function once, with answers that are known. */
static void call_everything(const alq_tablebase *tables, const char *rules) {
    int counted = strcmp(rules, "youzai") == 0;
    char details[200], text[ALQ_POSITION_TEXT_SIZE];
    alq_position start, position, after;
    alq_verdict verdict, same;
    alq_ranked_move ranked[MOVES];
    alq_move moves[MOVES];
    size_t count, legal;
    uint64_t paths;
    int8_t value;

    CHECK(strcmp(alq_version(), "") != 0);
    CHECK(strcmp(alq_status_message(ALQ_STATUS_OK), "done") == 0);
    CHECK(alq_start_position(rules, &start, details, sizeof details) == ALQ_STATUS_OK);
    CHECK(start.side == counted && start.plies == 0);
    CHECK(alq_perft(rules, &start, 3, &paths, details, sizeof details) == ALQ_STATUS_OK);
    CHECK(paths > 0);
    CHECK(alq_probe_value(tables, &start, &value, details, sizeof details) == ALQ_STATUS_MISSING_TABLE);
    CHECK(strstr(details, "12v12") != NULL);

    CHECK(alq_parse_position(rules, "5/5/1w3/5/w2b1 w", &position, details, sizeof details) == ALQ_STATUS_OK);
    CHECK(position.white == (1u << 11 | 1u << 0) && position.black == 1u << 3 && position.side == 0);
    CHECK(alq_position_text(rules, &position, text, sizeof text, details, sizeof details) == ALQ_STATUS_OK);
    CHECK(strcmp(text, "5/5/1w3/5/w2b1 w - 0") == 0);
    CHECK(alq_probe_value(tables, &position, &value, NULL, 0) == ALQ_STATUS_OK);
    CHECK(alq_probe(tables, &position, &verdict, NULL, 0) == ALQ_STATUS_OK);
    CHECK(alq_probe_text(tables, text, &same, NULL, 0) == ALQ_STATUS_OK);
    CHECK(verdict.value == value && same.value == value);
    CHECK(verdict.dtc == same.dtc && verdict.dtw == same.dtw);
    if (counted)
        CHECK(verdict.dtw == ALQ_NO_DISTANCE);
    else
        CHECK(value == 1 && verdict.dtc > 0 && verdict.dtw >= verdict.dtc);

    CHECK(alq_legal_moves(rules, &position, moves, MOVES, &legal, NULL, 0) == ALQ_STATUS_OK);
    CHECK(alq_ranked_moves(tables, &position, ranked, MOVES, &count, NULL, 0) == ALQ_STATUS_OK);
    CHECK(count > 0 && count == legal);
    CHECK(ranked[0].verdict.value == value);
    CHECK(ranked[0].verdict.dtw == verdict.dtw);
    CHECK(ranked[0].mv.path_length == 2 && ranked[0].mv.captured == 0);
    CHECK(alq_play(rules, &position, ranked[0].mv.text, &after, NULL, 0) == ALQ_STATUS_OK);
    CHECK(after.white == ranked[0].after.white && after.black == ranked[0].after.black);
    CHECK(after.side == 1 && after.plies == (counted ? 1 : 0));
    CHECK(alq_play(rules, &position, ranked[0].mv.text, &position, NULL, 0) == ALQ_STATUS_OK);
    CHECK(position.white == after.white);
}

static void *hammer(void *argument) {
    (void)argument;
    for (int round = 0; round < rounds; round++) {
        call_everything(classic, "classic");
        call_everything(youzai, "youzai");
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[THREADS];
    classic = open_tables("classic");
    youzai = open_tables("youzai");
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, hammer, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    alq_close(classic);
    /* The other one does not mind. */
    call_everything(youzai, "youzai");
    alq_close(youzai);
}

static void reopen(int times) {
    for (int i = 0; i < times; i++) {
        alq_tablebase *tables = open_tables("classic");
        int8_t value;
        alq_position position = {.white = 1u << 12 | 1u << 3, .black = 1u << 20};
        CHECK(alq_probe_value(tables, &position, &value, NULL, 0) == ALQ_STATUS_OK);
        alq_close(tables);
    }
}

static void garbage(void) {
    alq_tablebase *tables = open_tables("classic"), *none;
    alq_position sound = {.white = 1u << 12, .black = 1u << 20}, position;
    alq_verdict verdict;
    alq_ranked_move ranked[2];
    alq_move moves[2];
    char details[200], text[ALQ_POSITION_TEXT_SIZE];
    size_t count;
    uint64_t paths;
    int8_t value;
    const alq_status null = ALQ_STATUS_NULL_POINTER, invalid = ALQ_STATUS_INVALID_POSITION;

    /* Null, one argument after the other. */
    none = (alq_tablebase *)&details;
    CHECK(alq_open(NULL, "classic", 0, &none, details, sizeof details) == null && none == NULL);
    CHECK(strstr(details, "'dir'") != NULL);
    CHECK(alq_open(tables_dir, NULL, 0, &none, NULL, 0) == null);
    CHECK(alq_open(tables_dir, "classic", 0, NULL, NULL, 100) == null);
    alq_close(NULL);
    CHECK(alq_start_position(NULL, &position, NULL, 0) == null);
    CHECK(alq_start_position("classic", NULL, NULL, 0) == null);
    CHECK(alq_parse_position(NULL, "start", &position, NULL, 0) == null);
    CHECK(alq_parse_position("classic", NULL, &position, NULL, 0) == null);
    CHECK(alq_parse_position("classic", "start", NULL, NULL, 0) == null);
    CHECK(alq_position_text(NULL, &sound, text, sizeof text, NULL, 0) == null);
    CHECK(alq_position_text("classic", NULL, text, sizeof text, NULL, 0) == null);
    CHECK(alq_position_text("classic", &sound, NULL, sizeof text, NULL, 0) == null);
    CHECK(alq_probe_value(NULL, &sound, &value, NULL, 0) == null);
    CHECK(alq_probe_value(tables, NULL, &value, NULL, 0) == null);
    CHECK(alq_probe_value(tables, &sound, NULL, NULL, 0) == null);
    CHECK(alq_probe(NULL, &sound, &verdict, NULL, 0) == null);
    CHECK(alq_probe(tables, NULL, &verdict, NULL, 0) == null);
    CHECK(alq_probe(tables, &sound, NULL, NULL, 0) == null);
    CHECK(alq_probe_text(NULL, "start", &verdict, NULL, 0) == null);
    CHECK(alq_probe_text(tables, NULL, &verdict, NULL, 0) == null);
    CHECK(alq_probe_text(tables, "start", NULL, NULL, 0) == null);
    CHECK(alq_legal_moves(NULL, &sound, moves, 2, &count, NULL, 0) == null);
    CHECK(alq_legal_moves("classic", NULL, moves, 2, &count, NULL, 0) == null);
    CHECK(alq_legal_moves("classic", &sound, NULL, 2, &count, NULL, 0) == null);
    CHECK(alq_legal_moves("classic", &sound, moves, 2, NULL, NULL, 0) == null);
    CHECK(alq_ranked_moves(NULL, &sound, ranked, 2, &count, NULL, 0) == null);
    CHECK(alq_ranked_moves(tables, NULL, ranked, 2, &count, NULL, 0) == null);
    CHECK(alq_ranked_moves(tables, &sound, NULL, 2, &count, NULL, 0) == null);
    CHECK(alq_ranked_moves(tables, &sound, ranked, 2, NULL, NULL, 0) == null);
    CHECK(alq_play(NULL, &sound, "c3-c4", &position, NULL, 0) == null);
    CHECK(alq_play("classic", NULL, "c3-c4", &position, NULL, 0) == null);
    CHECK(alq_play("classic", &sound, NULL, &position, NULL, 0) == null);
    CHECK(alq_play("classic", &sound, "c3-c4", NULL, NULL, 0) == null);
    CHECK(alq_perft(NULL, &sound, 1, &paths, NULL, 0) == null);
    CHECK(alq_perft("classic", NULL, 1, &paths, NULL, 0) == null);
    CHECK(alq_perft("classic", &sound, 1, NULL, NULL, 0) == null);

    /* Texts and numbers without a meaning. */
    CHECK(alq_open("/nowhere", "classic", 0, &none, details, sizeof details) == ALQ_STATUS_NO_TABLES);
    CHECK(alq_open(tables_dir, "chess", 0, &none, details, sizeof details) == ALQ_STATUS_UNKNOWN_RULES);
    CHECK(alq_open("\xff\xfe", "classic", 0, &none, details, sizeof details) == ALQ_STATUS_NOT_UTF8);
    CHECK(alq_start_position("", &position, NULL, 0) == ALQ_STATUS_UNKNOWN_RULES);
    CHECK(alq_parse_position("classic", "\xff", &position, NULL, 0) == ALQ_STATUS_NOT_UTF8);
    CHECK(alq_parse_position("classic", "rnbqkbnr", &position, NULL, 0) == invalid);
    CHECK(alq_probe_text(tables, "5/5/5/5/5 w", &verdict, NULL, 0) == invalid);
    CHECK(alq_play("classic", &sound, "c3-c5", &position, NULL, 0) == ALQ_STATUS_ILLEGAL_MOVE);
    CHECK(alq_play("classic", &sound, "castle", &position, NULL, 0) == ALQ_STATUS_ILLEGAL_MOVE);
    CHECK(strcmp(alq_status_message(-1), "unknown status") == 0);
    CHECK(strcmp(alq_status_message(4711), "unknown status") == 0);
    for (int status = ALQ_STATUS_OK; status <= ALQ_STATUS_INTERNAL; status++)
        CHECK(strcmp(alq_status_message(status), "unknown status") != 0);
    const alq_position bad[] = {
        {0},
        {.white = ~0u, .black = ~0u, .no_west = ~0u, .no_east = ~0u, .side = 255, .plies = 255},
        {.white = 1u << 25, .black = 1},
        {.white = 1, .black = 1},
        {.white = 0x1fff, .black = 1u << 20},
        {.white = 1, .black = 2, .side = 2},
        {.white = 1, .black = 2, .plies = 1},
        {.white = 1, .black = 2, .no_west = 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(alq_position_text("classic", &bad[i], text, sizeof text, NULL, 0) == invalid);
        CHECK(alq_probe_value(tables, &bad[i], &value, NULL, 0) == invalid);
        CHECK(alq_probe(tables, &bad[i], &verdict, NULL, 0) == invalid);
        CHECK(alq_legal_moves("classic", &bad[i], moves, 2, &count, NULL, 0) == invalid);
        CHECK(alq_ranked_moves(tables, &bad[i], ranked, 2, &count, NULL, 0) == invalid);
        CHECK(alq_play("classic", &bad[i], "a1-a2", &position, NULL, 0) == invalid);
        CHECK(alq_perft("classic", &bad[i], 1, &paths, NULL, 0) == invalid);
    }

    /* Buffers that are too small are filled, never overrun. */
    memset(details, 'x', sizeof details);
    CHECK(alq_open(tables_dir, "chess", 0, &none, details, 10) == ALQ_STATUS_UNKNOWN_RULES);
    CHECK(strcmp(details, "unknown r") == 0 && details[10] == 'x');
    details[0] = 'x';
    CHECK(alq_open(tables_dir, "chess", 0, &none, details, 0) == ALQ_STATUS_UNKNOWN_RULES);
    CHECK(details[0] == 'x');
    memset(text, 'x', sizeof text);
    CHECK(alq_position_text("classic", &sound, text, 6, NULL, 0) == ALQ_STATUS_BUFFER_TOO_SMALL);
    CHECK(strcmp(text, "b4/5/") == 0 && text[6] == 'x');
    CHECK(alq_legal_moves("classic", &sound, NULL, 0, &count, NULL, 0) == ALQ_STATUS_BUFFER_TOO_SMALL);
    CHECK(count == 8);
    CHECK(alq_legal_moves("classic", &sound, moves, 2, &count, NULL, 0) == ALQ_STATUS_BUFFER_TOO_SMALL);
    CHECK(count == 8 && strcmp(moves[1].text, "c3-c2") == 0 && moves[1].path[1] == 7);
    CHECK(alq_ranked_moves(tables, &sound, ranked, 2, &count, NULL, 0) == ALQ_STATUS_BUFFER_TOO_SMALL);
    CHECK(count == 8);
    alq_close(tables);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    tables_dir = argv[1];
    int number = argc > 3 ? atoi(argv[3]) : 1;
    if (strcmp(argv[2], "threads") == 0) {
        rounds = number;
        threads();
    } else if (strcmp(argv[2], "reopen") == 0) {
        reopen(number);
    } else {
        garbage();
    }
    puts("ok");
    return 0;
}
