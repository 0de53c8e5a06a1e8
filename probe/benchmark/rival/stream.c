/* Bandwidth of memory and latency of loads, as a C compiler makes them: what the
 * probes of assay are held against. One thread.
 *
 *   stream ARRAY_BYTES SECONDS    copy, scale, add and triad: "triad 1.234e+10" in B/s
 *   stream chase BYTES SECONDS    dependent loads: "chase 1.2e-09" in s
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void pass(int kernel, size_t n, double *restrict a, double *restrict b, double *restrict c)
{
    switch (kernel) {
    case 0: for (size_t i = 0; i < n; i++) c[i] = a[i]; break;
    case 1: for (size_t i = 0; i < n; i++) b[i] = 3.0 * c[i]; break;
    case 2: for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i]; break;
    default: for (size_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i]; break;
    }
}

static int bandwidth(size_t bytes, double seconds)
{
    static const char *names[] = {"copy", "scale", "add", "triad"};
    static const int arrays[] = {2, 2, 3, 3};
    size_t n = bytes / sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    if (!a || !b || !c)
        return 1;
    for (size_t i = 0; i < n; i++)
        a[i] = 1, b[i] = 2, c[i] = (double)(i % 8);
    for (int k = 0; k < 4; k++) {
        pass(k, n, a, b, c);
        double begin = now(), end;
        long passes = 0;
        do {
            pass(k, n, a, b, c);
            passes++;
            end = now();
        } while (end - begin < seconds);
        printf("%s %g\n", names[k], (double)arrays[k] * bytes * passes / (end - begin));
    }
    return a[n / 2] != b[n / 2] + 3 * c[n / 2];
}

static int chase(size_t bytes, double seconds)
{
    size_t lines = bytes / 64;
    uint64_t *words = aligned_alloc(64, bytes), seed = 88172645463325252u;
    size_t *order = malloc(lines * sizeof *order);
    if (!words || !order || lines < 2)
        return 1;
    for (size_t i = 0; i < lines; i++)
        order[i] = i;
    for (size_t i = lines - 1; i > 0; i--) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        size_t j = seed % (i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    for (size_t i = 0; i < lines; i++)
        words[order[i] * 8] = order[(i + 1) % lines] * 8;
    uint64_t at = order[0] * 8;
    for (size_t i = 0; i < lines; i++)
        at = words[at];
    double begin = now(), end;
    long loads = 0;
    do {
        for (int i = 0; i < 100000; i++)
            at = words[at];
        loads += 100000;
        end = now();
    } while (end - begin < seconds);
    printf("chase %g\n", (end - begin) / loads);
    return at % 8 != 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "chase"))
        return chase(strtoull(argv[2], 0, 10), atof(argv[3]));
    if (argc == 3)
        return bandwidth(strtoull(argv[1], 0, 10), atof(argv[2]));
    fprintf(stderr, "usage: stream ARRAY_BYTES SECONDS | stream chase BYTES SECONDS\n");
    return 2;
}
