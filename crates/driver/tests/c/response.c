//= response holds
//#Safe
//@ ltl invariant response: ([](AP(ask == 1) ==> <>AP(ask == 0)));
extern int __VERIFIER_nondet_int(void) __attribute__ ((__noreturn__));
int ask = 0, left = 0;
int main() {
    while (1) {
        ask = __VERIFIER_nondet_int() ? 1 : 0;
        if (ask == 1) {
            left = 5;
            while (left > 0) left--;
            ask = 0;
        }
    }
}
