//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int state = 0, steps = 0;
    while (state != 3) {
        switch (state) {
        case 0:
            steps++;
            /* fall through */
        case 1:
            state = 2;
            break;
        case 2: {
            state = 3;
            break;
        }
        default:
            assert(0);
        }
    }
    assert(steps == 1);
    return 0;
}
