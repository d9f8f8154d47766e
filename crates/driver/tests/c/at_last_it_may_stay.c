//= ctl holds
// -ctl "AF{EG{x == 1}}"
int main() { int n = ?; int x = 0; while (n > 0) n--; x = 1; while (?) ; x = 2; }
