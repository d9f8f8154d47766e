//= ctl fails
// -ctl "AG{EF{x == 0}}"
int main() { int x = 10; while (1) { if (?) x--; else { x = -1; } if (x < 0) { while (1) ; } } }
