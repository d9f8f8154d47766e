//= ctl fails
// -ctl "AF{x == 0}"
int main() { int x; while (x != 0) { if (x > 0) x--; else { if (?) x++; } } }
