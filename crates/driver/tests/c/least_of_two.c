//= termination holds
// The smaller of two falls, and the other becomes anything.
int main() {
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
    while (q > 0 && p > 0 && p != q) {
        if (q < p) {
            q = q - 1;
            p = __VERIFIER_nondet_int();
        } else {
            p = p - 1;
            q = __VERIFIER_nondet_int();
        }
    }
    return 0;
}
