//= termination holds
extern unsigned long __VERIFIER_nondet_ulong(void);
int main() {
    unsigned long n = __VERIFIER_nondet_ulong();
    unsigned long i = 0;
    while (n > 0) { n--; i++; }
    return 0;
}
