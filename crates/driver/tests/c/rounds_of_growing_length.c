//= termination fails
/* aperiodic: x goes up by growing amounts and is reset partly */
int main() { int x = 1, y = 1; while (x > 0) { if (y < x) y++; else { y = 1; x++; } } }
