//= termination fails
// 0 and 5 come after each other for ever.
int main() {
    int x = __VERIFIER_nondet_int();
    while (x != 3) x = (x + 5) % 10;
    return 0;
}
