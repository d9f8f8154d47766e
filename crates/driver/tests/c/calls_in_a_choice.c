//= termination holds
int n; void a(void) { n--; } void b(void) { n -= 2; } int main() { n = nondet(); while (n > 0) n > 5 ? a() : b(); }
