//= termination holds
int main() { int a = nondet_int(), b = nondet_int(); if (a <= 0 || b <= 0) return 0; while (b != 0) { int t = a % b; a = b; b = t; } return a; }
