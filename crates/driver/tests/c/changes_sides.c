//= termination holds
int main() { int x = nondet(); while (x > 5 || x < -5) { if (x > 0) x = -x + 1; else x = -x - 1; } }
