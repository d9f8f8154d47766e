//= termination holds
//= assertions holds
#include <assert.h>
#define N 5
int main() {
    int a[N] = {1, 2, 3, 4, 5}, i, sum = 0;
    for (i = 0; i < N; i++) sum += a[i];
    assert(sum == 15);
    return 0;
}
