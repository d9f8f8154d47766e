//= termination holds
extern void __VERIFIER_assume(int);
int main() {
    int x = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();
    __VERIFIER_assume(d >= 1);
    while (x >= 0) x -= d;
    return 0;
}
