//= termination holds
#include <limits.h>
int main() { int x = nondet(); unsigned u = UINT_MAX; while (x < INT_MAX && u > 0) { x++; u--; } }
