//= termination holds
int main() { int x = nondet(), y = nondet(); while (x * x + y * y < 100 && x > 0) { x++; y++; } }
