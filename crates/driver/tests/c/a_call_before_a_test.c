//= termination holds
int n; void a(void) { n--; } int main() { n = nondet(); while (a(), n > 0) ; }
