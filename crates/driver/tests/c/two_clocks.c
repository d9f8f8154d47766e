//= positive holds
//@ ltl invariant positive: [](AP(t > 0) ==> <>AP(t <= 0));
int t, u;
int main() { while (1) { t = nondet(); u = nondet(); while (t > 0 && u > 0) { if (nondet()) { t--; } else { u--; } } t = 0; } }
