//= enters holds
// The lock is taken exactly in one of the states.
//@ ltl invariant enters: ([]<>AP(turn == 1)) ==> [](AP(state == 1) ==> <>AP(state == 2));
int turn, state, other, lock;
int main() {
    while (1) {
        turn = __VERIFIER_nondet_int();
        if (turn == 1) {
            if (state == 0) state = 1;
            else if (state == 1 && lock == 0) {
                lock = 1;
                state = 2;
            } else if (state == 2) {
                lock = 0;
                state = 0;
            }
        } else if (turn == 2) {
            if (other == 0) other = 1;
            else other = 0;
        }
    }
}
