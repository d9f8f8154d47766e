//= ctl fails
// -ctl "EG{x > 0}"
int main() { int x = 50; while (1) { if (?) x = x - 2; else x = x - 1; } }
