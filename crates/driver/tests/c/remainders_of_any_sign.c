//= termination holds
int main() {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), t;
    while (b != 0) {
        t = b;
        b = a % b;
        a = t;
    }
    return a;
}
