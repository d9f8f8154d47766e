//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int a = -7;
    assert(a / 2 == -3 && a % 2 == -1 && -a / -2 == -3);
    while (a != 0) a /= 3;
    return 0;
}
