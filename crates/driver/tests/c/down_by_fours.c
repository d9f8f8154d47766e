//= termination holds
int main() { int x = 4 * nondet() ; if (x < 0) x = 0; while (x != 0) { x -= 4; } }
