//= termination fails
int main() { int x = 2; while (x != 1) { x = x * x % 11; if (x == 1) x = 2; } }
