//= positive fails
//@ ltl invariant positive: []<>AP(s == 0);
typedef enum { IDLE, BUSY, WAIT } S;
S s = IDLE;
int main() { int t; for (;;) switch (s) { case IDLE: s = BUSY; t = nondet(); break; case BUSY: if (t++ == 0) s = WAIT; break; case WAIT: s = IDLE; } }
