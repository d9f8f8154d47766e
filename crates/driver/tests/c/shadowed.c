//= termination holds
//= assertions holds
#include <assert.h>
int x = 1;
int main() {
    int x = 2;
    { int x = 3; assert(x == 3); x--; }
    assert(x == 2);
    for (int x = 5; x > 0; x--) { int x = 9; x++; }
    while (x > 0) x--;
    return 0;
}
