//= positive holds
//@ ltl invariant positive: ([](AP(x > 0) ==> <>AP(y == 0)));
#include <stdio.h>
int x = 1;
int y = 1;
int main() {
    while (x > 0) {
        x--;
        y = x == 0 ? 0 : 1;
    }
    while (1) ;
}
