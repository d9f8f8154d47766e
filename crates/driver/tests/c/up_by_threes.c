//= termination holds
int main() { int x = 0, n = 3 * nondet(); if (n < 0) return 0; while (x != n) x += 3; }
