//= ctl holds
// -ctl "AF{AG{x < y}}"
int main() { int x = ?, y = ?; while (x >= y) { x--; } while (1) { y++; } }
