//= termination holds
//= assertions holds
#include <assert.h>
int a[7];
int main() {
    assert(sizeof(int) == 4 && sizeof(char) == 1 && sizeof(short) == 2);
    assert(sizeof a == 28 && sizeof(a) / sizeof(a[0]) == 7);
    int i;
    for (i = 0; i < (int)(sizeof(a) / sizeof(int)); i++) a[i] = i;
    return 0;
}
