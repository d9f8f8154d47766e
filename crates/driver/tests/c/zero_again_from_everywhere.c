//= ctl holds
// -ctl "AG{EF{x == 0}}"
int main() { int x = ?; while (1) { if (x > 0) x--; else if (x < 0) x++; else x = ?; } }
