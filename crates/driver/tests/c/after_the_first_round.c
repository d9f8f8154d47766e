//= termination holds
// From the second round on z is x.
int main() {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_int()) {
            x = z - 1;
            y = __VERIFIER_nondet_int();
            z = x;
        } else {
            y = y - 1;
            z = x;
        }
    }
    return 0;
}
