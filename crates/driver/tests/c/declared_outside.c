//= termination holds
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x > y) {
        x = x - 1;
        y = y + 1;
    }
    return 0;
}
