//= termination holds
typedef int number;
typedef unsigned short word;
typedef enum { OFF, ON } mode_t;
int main() {
    number n = __VERIFIER_nondet_int();
    word w = 3;
    mode_t m = ON;
    while (m == ON) {
        if (n <= 0) m = OFF;
        n -= w;
    }
    return 0;
}
