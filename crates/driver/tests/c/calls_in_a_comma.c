//= termination holds
int n; void a(void) { n--; } int main() { for (n = nondet(); n > 0; a(), a()) ; }
