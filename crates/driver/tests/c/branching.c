//= ctl holds
// -ctl "AG{OR{x <= 0}{EF{x == 0}}}"
void main() {
    int x = __VERIFIER_nondet_int();
    while (x > 0) { x--; }
}
