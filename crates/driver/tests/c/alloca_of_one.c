//= termination holds
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main() {
    int* x = alloca(sizeof(int));
    int* y = (int*) malloc(sizeof(int));
    int *z = __builtin_alloca(sizeof(int));
    *x = __VERIFIER_nondet_int();
    *y = __VERIFIER_nondet_int();
    *z = 1;
    while (*x > *y) {
        *x = *x - *z;
        (*z)++;
    }
    free(y);
    return 0;
}
