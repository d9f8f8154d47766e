//= termination holds
int main() {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a <= 0 || b <= 0) return 1;
    while (a != b) {
        if (a > b) a = a - b;
        else b = b - a;
    }
    return a;
}
