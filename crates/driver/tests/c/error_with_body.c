//= termination holds
//= assertions holds
extern void abort(void) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
extern void __assert_fail (const char *__assertion, const char *__file, unsigned int __line, const char *__function) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
void reach_error() { __assert_fail("0", "x.c", 3, __extension__ __PRETTY_FUNCTION__); }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } return; }
void assume_abort_if_not(int cond) { if(!cond) { abort(); } }
int main() {
    int x = 0;
    while (x < 100) { x++; __VERIFIER_assert(x <= 100); }
    return 0;
}
