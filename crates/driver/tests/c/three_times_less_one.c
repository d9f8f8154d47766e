//= termination fails
int main() { int n = nondet(); while (n != 1) { if (n % 2 == 0) n /= 2; else n = 3 * n - 1; } }
