//= termination holds
//= assertions holds
#include <assert.h>
int main() {
    int x = 300;
    unsigned char c = (unsigned char)x;
    unsigned int u = (unsigned)-1;
    assert(c == 44);
    assert(u == 4294967295u);
    assert((int)(char)65 == 'A');
    (void)x;
    while (c) c--;
    return 0;
}
