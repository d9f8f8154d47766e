//= ctl fails
// -ctl "AG{NOT{bad: x > 3}}"
int main() { int x = 0; while (?) { x++; if (x == 5) { bad: x = x; } } }
