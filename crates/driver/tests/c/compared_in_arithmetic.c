//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int x = 7, y;
    y = (x > 3) + (x > 5) + !(x == 7);
    assert(y == 2);
    y = x == 7 && x != 8;
    assert(y);
    while (x) x -= (x > 0) - (x < 0);
    return 0;
}
