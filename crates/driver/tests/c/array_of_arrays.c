//= termination holds
//= assertions holds
#include <assert.h>
int m[2][3];
int main() {
    int i, j, count = 0;
    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++) {
            m[i][j] = i * 3 + j;
            count++;
        }
    assert(count == 6 && m[1][2] == 5);
    return 0;
}
