//= assertions fails
//= termination holds
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
void reach_error() { __assert_fail("0", "file.c", 3, "reach_error"); }
int main() {
    int x = 5;
    while (x > 0) x--;
    if (x == 0) reach_error();
    return 0;
}
