//= response fails
//@ ltl invariant response: [](AP(ask == 1) ==> <>AP(ask == 0));
int ask = 0, left = 0;
int main() {
    while (1) {
        ask = __VERIFIER_nondet_int() != 0;
        if (ask == 1) {
            left = 5;
            while (left > 0) left = left - 2 + __VERIFIER_nondet_bool() * 2;
            ask = 0;
        }
    }
}
