//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int a, b, c;
    a = b = c = 4;
    assert(a == 4 && b == 4 && c == 4);
    if ((a = b - 4)) c = 0;
    assert(a == 0 && c == 4);
    while ((c -= 2) > 0) ;
    return 0;
}
