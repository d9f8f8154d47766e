//= termination holds
#include <stdlib.h>
int main() {
    int x = __VERIFIER_nondet_int();
    while (1) {
        if (x > 100) exit(0);
        if (x < 0) abort();
        x++;
    }
}
