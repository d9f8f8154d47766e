//= termination holds
//= assertions holds
#include <assert.h>
struct pair { int first; int second; };
int main() {
    struct pair p;
    p.first = __VERIFIER_nondet_int();
    p.second = 0;
    while (p.first > 0) {
        p.first--;
        p.second += 1;
    }
    assert(p.second >= 0);
    return 0;
}
