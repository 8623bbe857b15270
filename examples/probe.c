#include <stdio.h>

#include "alquerque.h"

int main(void) {
    char why[200];
    alq_tablebase *tables;
    alq_status status = alq_open("tables", "classic", 0, &tables, why, sizeof why);
    if (status != ALQ_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", alq_status_message(status), why);
        return 1;
    }

    /* White on a1 and b3, Black on d1, White to move. */
    alq_position position = {.white = 1 << 0 | 1 << 11, .black = 1 << 3, .side = 0};
    alq_verdict verdict;
    if (alq_probe(tables, &position, &verdict, why, sizeof why) == ALQ_STATUS_OK)
        printf("value %d, conversion in %d plies, win in %d\n", verdict.value, verdict.dtc, verdict.dtw);
    else
        fprintf(stderr, "%s\n", why);

    alq_ranked_move moves[64];
    size_t count;
    if (alq_ranked_moves(tables, &position, moves, 64, &count, why, sizeof why) == ALQ_STATUS_OK && count > 0)
        printf("best of %zu moves: %s\n", count, moves[0].mv.text);

    alq_close(tables);
    return 0;
}
