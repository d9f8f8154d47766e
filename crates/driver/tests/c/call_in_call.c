//= termination holds
static inline int inc(int x) { return x + 1; }
static int twice(int x) { return inc(inc(x)); }
int main() {
    int i = 0, n = __VERIFIER_nondet_int();
    while (i < n) i = twice(i);
    return 0;
}
