//= termination holds
//= assertions holds
#include <assert.h>
typedef struct { int x, y; } point;
point origin;
int main() {
    point a = { 3, 4 }, b;
    b = a;
    a.x = 0;
    assert(b.x == 3 && b.y == 4 && origin.x == 0);
    while (b.x > origin.x) b.x--;
    return 0;
}
