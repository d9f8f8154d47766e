//= termination fails
int main() {
    int a, b, olda;
    a = __VERIFIER_nondet_int();
    b = __VERIFIER_nondet_int();
    while (a + b >= 3) {
        olda = a;
        a = 3 * olda + b;
        b = 2 * b - 5;
    }
    return 0;
}
