//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int x = 5;
    int *p = &x;
    while (*p > 0) { *p = *p - 1; }
    assert(x == 0);
    return 0;
}
