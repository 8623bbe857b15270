/* The C side: probe DIR prints the time of a WDL probe in nanoseconds, for the tables and positions in DIR. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alquerque.h"

#define ROUNDS 21
#define WINDOW 8192
#define POSITIONS (1 << 18)
#define WINDOWS (POSITIONS / WINDOW)

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
    static alq_position positions[POSITIONS];
    static double times[(ROUNDS + 1) * WINDOWS];
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
    if (fread(positions, sizeof *positions, POSITIONS, file) != POSITIONS)
        return 1;
    fclose(file);
    for (int timed = 0; timed < (ROUNDS + 1) * WINDOWS; timed++) {
        const alq_position *window = positions + timed % WINDOWS * WINDOW;
        double begin = now();
        for (size_t i = 0; i < WINDOW; i++) {
            int8_t value;
            if (alq_probe_value(tables, &window[i], &value, NULL, 0) != ALQ_STATUS_OK)
                return 1;
        }
        times[timed] = (now() - begin) / WINDOW;
    }
    alq_close(tables);
    /* The first round warms the cache. */
    qsort(times + WINDOWS, ROUNDS * WINDOWS, sizeof *times, smaller);
    printf("%.1f\n", times[WINDOWS + ROUNDS * WINDOWS / 2]);
    return 0;
}
