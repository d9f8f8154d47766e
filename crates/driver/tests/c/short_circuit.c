//= termination holds
//= assertions holds
#include <assert.h>
int calls = 0;
int called(int v) { calls++; return v; }
int main() {
    int x = 3;
    if (x < 0 && called(1)) x = 100;
    assert(calls == 0);
    if (x > 0 || called(1)) x = 1;
    assert(calls == 0);
    if (x > 0 && called(0)) x = 7;
    assert(calls == 1 && x == 1);
    return 0;
}
