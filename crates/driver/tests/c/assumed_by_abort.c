//= termination holds
void abort(void);
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
int main() {
    int x = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();
    assume_abort_if_not(d > 0);
    while (x >= 0) x -= d;
    return 0;
}
