//= termination holds
int main() {
    int x = __VERIFIER_nondet_int();
    while (x > 0) {
        if (x & 1) x--;
        else x = x >> 1;
    }
    return 0;
}
