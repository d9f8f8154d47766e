//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int x = 5, flags = 0;
    assert((x & 1) == 1 && (x & 4) == 4 && (x & 2) == 0);
    assert((x | 2) == 7 && (x ^ 1) == 4);
    flags |= 4;
    flags |= 1;
    flags &= ~1;
    assert(flags == 4);
    x <<= 1;
    assert(x == 10 && x >> 2 == 2);
    while (x) x >>= 1;
    return 0;
}
