//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int i, j, k;
    for (i = 0, j = 10; i < j; i++, j--)
        ;
    k = (i = 3, j = i + 1, j);
    assert(k == 4 && i == 3);
    return 0;
}
