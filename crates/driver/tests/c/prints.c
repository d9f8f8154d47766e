//= termination holds
#include <stdio.h>
int main() {
    int i = 3;
    printf("start %d\n", i);
    while (i-- > 0) { printf("%d" " and " "%d\n", i, i * i); fflush(stdout); }
    puts("end");
    return 0;
}
