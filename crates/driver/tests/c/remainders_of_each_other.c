//= termination holds
int main() { int a = nondet(), b = nondet(); while (a > 0 && b > 0) { if (a > b) a = a % b; else b = b % a; } }
