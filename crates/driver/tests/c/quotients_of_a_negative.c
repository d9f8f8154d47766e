//= termination holds
int main() { int x = -1000; while (x != 0) { x = x / 3; x = x - x % 2; } }
