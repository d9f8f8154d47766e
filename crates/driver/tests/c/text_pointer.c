//= termination holds
#include <stdio.h>
int main() {
    const char *msg = "hello";
    int i = 0;
    while (i < 3) { printf("%s %d\n", msg, i); i++; }
    puts("done");
    return 0;
}
