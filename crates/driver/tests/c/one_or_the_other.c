//= ctl holds
// -ctl "OR{AF{x == 1}}{EG{x != 1}}"
int main() { int x = ?; while (x != 1) { if (?) x = 1; } }
