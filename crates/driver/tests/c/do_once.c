//= termination holds
int main() {
    int x = __VERIFIER_nondet_int();
    do {
        x--;
        if (x == 17) continue;
        if (x == 12) break;
    } while (x > 10);
    return 0;
}
