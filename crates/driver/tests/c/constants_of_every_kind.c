//= termination holds
//= assertions holds
#include <assert.h>
#define MASK 0xFFu
#define OCTAL 017
enum color { RED, GREEN = 5, BLUE };
int main() {
    const unsigned int m = MASK;
    int o = OCTAL, c = '\n', n = '\0', b = BLUE;
    assert(m == 255 && o == 15 && c == 10 && n == 0 && b == 6);
    assert('\x41' == 65 && '\101' == 65 && 10L == 10UL);
    while (o > RED) o -= GREEN;
    return 0;
}
