//= p fails
//@ ltl invariant p: [](AP(b == 41) ==> <>AP(a == 3)) ;
int a, b, c;
int f(int v) { return v; }
int main() { while (1) { a = nondet(); c = f(a); b = c; if (b > 40 && c < 42) { while (1) { a = 4; } } } }
