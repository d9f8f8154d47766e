//= ctl fails
// -ctl "EF{x == 7}"
int main() { int x = 0; while (1) { x = x + 2; } }
