//= termination fails
int main() {
    int i = 0, n = __VERIFIER_nondet_int(), s = __VERIFIER_nondet_int();
    while (i < n) i += s;
    return 0;
}
