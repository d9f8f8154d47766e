//= termination holds
//= assertions holds
#include <assert.h>
extern unsigned int __VERIFIER_nondet_uint(void);
int main() {
    unsigned int x = 0;
    x = x - 1;
    assert(x == 0xffffffffU);
    x++;
    assert(x == 0);
    unsigned int y = __VERIFIER_nondet_uint();
    while (y != 0) y--;
    return 0;
}
