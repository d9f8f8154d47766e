//= termination holds
//= assertions holds
#include <assert.h>
#include <stdbool.h>
int main() {
    _Bool b = 7;
    assert(b == 1);
    b = b + 4;
    assert(b == 1);
    while (b) b = !b;
    return 0;
}
