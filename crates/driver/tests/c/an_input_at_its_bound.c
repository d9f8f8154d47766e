//= p fails
//@ ltl invariant p: [](AP(input > 49) ==> X AP(out == 1)) ;
int input = 0, out = 0;
int main() { while (1) { input = nondet(); out = input > 50; } }
