//= termination holds
int main() { int a = nondet(), b = nondet(); while (a != b) { int d = a > b ? a - b : b - a; a = a > b ? b + d - 1 : a + 1; } }
