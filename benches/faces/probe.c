/* The C side: probe DIR prints the time of a WDL probe in nanoseconds, for the tables and positions in DIR. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alquerque.h"

#define ROUNDS 21

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int smaller(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
    static alq_position positions[1 << 20];
    double times[ROUNDS + 1];
    char path[4096], why[200];
    alq_tablebase *tables;
    if (argc != 2)
        return 2;
    if (alq_open(argv[1], "classic", 0, &tables, why, sizeof why) != ALQ_STATUS_OK) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    snprintf(path, sizeof path, "%s/positions", argv[1]);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    size_t count = fread(positions, sizeof *positions, 1 << 20, file);
    fclose(file);
    for (int round = 0; round <= ROUNDS; round++) {
        double begin = now();
        for (size_t i = 0; i < count; i++) {
            int8_t value;
            if (alq_probe_value(tables, &positions[i], &value, NULL, 0) != ALQ_STATUS_OK)
                return 1;
        }
        times[round] = (now() - begin) / count;
    }
    alq_close(tables);
    qsort(times + 1, ROUNDS, sizeof *times, smaller);
    printf("%.1f\n", times[1 + ROUNDS / 2]);
    return 0;
}
