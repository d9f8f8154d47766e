//= termination fails
#include <stdbool.h>
extern _Bool __VERIFIER_nondet_bool();
int main() {
    bool going = true;
    int x = 0;
    while (going) {
        x++;
        going = __VERIFIER_nondet_bool();
    }
    return 0;
}
