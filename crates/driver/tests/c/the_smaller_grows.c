//= termination holds
int main() { int x = nondet_int(), y = nondet_int(), n = nondet_int(); while (x < n || y < n) { if (x < y) x++; else y++; } }
