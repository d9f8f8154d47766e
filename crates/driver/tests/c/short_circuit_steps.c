//= termination holds
int main() {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x > 0 && y-- > 0) x--;
    return 0;
}
