//= termination fails
int main() { int x = 2 * nondet() + 1; while (x != 0) { if (x > 0) x -= 2; else x += 2; } }
