//= termination holds
typedef enum {false, true} bool;
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main() {
    int x, y, d1 = 1, d2 = 1, d1old;
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    while (x > 0 && y > 0 && d1 > 0 && d2 > 0) {
        if (__VERIFIER_nondet_int() ? true : false) {
            x = x - d1;
            y = __VERIFIER_nondet_int();
            d1old = d1;
            d1 = __VERIFIER_nondet_int() ? d1old : d1old + 1;
        } else {
            y = y - d2;
            d2 = d2 + 1;
        }
    }
    return 0;
}
