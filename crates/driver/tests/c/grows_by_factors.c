//= termination fails
int main() { int x = nondet_int(), y = nondet_int(); while (x + y > 3) { x = 3 * x - 2; y = 2 * y; } }
