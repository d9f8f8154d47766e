//= termination holds
extern long long __VERIFIER_nondet_longlong(void);
int main() {
    long long i = __VERIFIER_nondet_longlong();
    long long int step = 3LL;
    while (i < 1000000000000LL) i += step;
    return 0;
}
