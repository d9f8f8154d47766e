//= termination holds
int main() { int x = __VERIFIER_nondet_int(), y; while (x != 0) { y = x > 0 ? (x > 10 ? -10 : -1) : x < -10 ? 10 : 1; x += y; } }
