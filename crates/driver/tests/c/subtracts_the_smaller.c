//= termination holds
/* Bradley-Manna-Sipma gcd with nonneg */
int main(void) {
    int y1 = __VERIFIER_nondet_int();
    int y2 = __VERIFIER_nondet_int();
    if (y1 <= 0 || y2 <= 0) return 1;
    while (y1 != y2) {
        if (y1 > y2) y1 -= y2; else y2 -= y1;
    }
    return y1;
}
