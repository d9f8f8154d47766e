//= termination holds
int main() {
    int x = __VERIFIER_nondet_int();
    while (x > 0) x = x > 10 ? x - 5 : (x % 2 == 0) ? x / 2 : x - 1;
    return 0;
}
