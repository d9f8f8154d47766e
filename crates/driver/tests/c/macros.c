//= termination holds
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define STEP(v) do { v = v - 1; } while (0)
#define LIMIT 10
#ifndef EXTRA
#define EXTRA (LIMIT + 1)
#endif
#if LIMIT > 5 && defined(EXTRA)
#define START EXTRA
#else
#define START 0
#endif
int main() {
    int x = MAX(START, LIMIT);
    while (x > 0) STEP(x);
    return 0;
}
