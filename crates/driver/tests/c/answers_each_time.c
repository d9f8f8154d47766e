//= ctl holds
// -ctl "AG{OR{x <= 0}{AF{y == 0}}}"
int main() { int x = ?; int y = ?; while (1) { x = ?; y = x; while (y > 0) y--; if (y < 0) y = 0; } }
