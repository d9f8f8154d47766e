//= p holds
//@ ltl invariant p: []<>AP(s == 0);
enum { A, B, C }; int s;
int main() { s = A; while (1) { switch (s) { case A: s = nondet_int() ? B : C; break; case B: s = C; break; case C: s = A; break; } } }
