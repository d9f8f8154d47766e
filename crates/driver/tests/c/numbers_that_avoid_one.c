//= termination fails
int main() { unsigned x = 7; while (x != 3) { x = (x * 5 + 1) % 16; if (x == 3) x = 4; } }
