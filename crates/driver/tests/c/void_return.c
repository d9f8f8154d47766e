//= termination holds
int x;
void down(int by) {
    if (by <= 0) return;
    x -= by;
}
int main() {
    x = __VERIFIER_nondet_int();
    while (x > 0) { down(0); down(2); }
    return 0;
}
