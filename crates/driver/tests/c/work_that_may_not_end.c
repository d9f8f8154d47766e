//= ctl fails
// -ctl "AG{AF{a == 1}}"
int main() { int a = 0, b = 0; while (1) { a = 0; b = ?; while (b != 0) { b = b - 1; } a = 1; } }
