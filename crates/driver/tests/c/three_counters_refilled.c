//= termination fails
int main() { int a = nondet(), b = nondet(), c = nondet(); while (a > 0 && b > 0 && c > 0) { if (nondet()) { c--; } else if (nondet()) { b--; c = nondet(); } else { a--; b = nondet(); a += b > 10; c = nondet(); } } }
