//= termination holds
int sign(int x) {
    if (x < 0) return -1;
    if (x == 0) return 0;
    return 1;
}
int main() {
    int x = __VERIFIER_nondet_int();
    while (sign(x) > 0) x -= sign(x);
    return 0;
}
