//= termination holds
#include <stdio.h>
int main() { int n; scanf("%d", &n); while (n > 0) n--; return 0; }
