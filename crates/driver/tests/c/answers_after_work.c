//= positive holds
//@ ltl invariant positive: [](AP(A != 1) || <>AP(R == 1));
int A, R;
void body(int count) { int i; for (i = 0; i < count; i++) { if (nondet()) break; } R = 1; R = 0; }
int main() { A = R = 0; while (nondet()) { A = 1; A = 0; body(nondet()); } while (1) { int dummy; dummy = dummy; } }
