//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int i = 0, j = 0, a, b;
    a = i++;
    b = ++j;
    assert(a == 0 && b == 1 && i == 1 && j == 1);
    while (i++ < 5) ;
    assert(i == 6);
    while (--i > 0) ;
    return 0;
}
