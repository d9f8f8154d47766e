//= termination holds
int main() { int a[2]; a[0] = nondet(); a[1] = nondet(); while (a[0] > 0 && a[1] > 0) { a[nondet() ? 0 : 1]--; } }
