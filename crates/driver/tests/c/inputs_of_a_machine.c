//= p holds
//@ ltl invariant p: [](AP(state == 2) ==> <>AP(state == 0));
int state, input, steps;
int main() { state = 0; while (1) { input = __VERIFIER_nondet_int(); switch (state) { case 0: if (input == 7) state = 1; else if (input > 100) state = 3; break; case 1: state = input < 0 ? 2 : 1; break; case 2: state = 0; break; default: if (input == 8) state = 2; } } }
