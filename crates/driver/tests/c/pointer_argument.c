//= termination holds
//= assertions holds
#include <assert.h>
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void dec(int *p) { (*p)--; }
int main() {
    int x = 3, y = 9;
    swap(&x, &y);
    assert(x == 9 && y == 3);
    while (y > 0) dec(&y);
    return 0;
}
